import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Padding, cropping and resizing of images, and changes to their contrast.
enum CoreMLResizing: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Upsampling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.upsample(operation)
    },
    CoreMLRow(native: Resizing.self) { (operation, builder) throws(WeighbridgeError) in
      let mode = grids.first { $0.value == operation.grid }?.key
      guard let mode, builder.type().rank == 4, operation.fit == .stretch else { return nil }
      return try builder.resizeBilinear(to: operation.dimensions, mode)
    },
    CoreMLRow(native: CenterCrop.self) { (operation, builder) throws(WeighbridgeError) in
      let dimensions = try builder.dimensions(builder.type()).dropFirst(2)
      let margins = zip(dimensions, operation.dimensions).map { $0 - $1 }
      guard margins.allSatisfy({ $0 >= 0 }) else { return nil }
      let starts = margins.map { $0 / 2 }
      let amounts = ProtobufRecord.borders(before: starts, after: zip(margins, starts).map(-))
      return try builder.add(
        "crop", [try builder.input()], ["cropAmounts": .record(amounts)])
    },
    CoreMLRow(
      CLAHE.self,
      unsupported:
        "equalizes a histogram, and Core ML can compute elementwise and in windows only"),
  ]

  /// The sampling modes of `resizeBilinear`.
  fileprivate static let grids: [String: ResizingGrid] = [
    "STRICT_ALIGN_ENDPOINTS_MODE": .alignCorners, "ALIGN_ENDPOINTS_MODE": .alignCornersOrCenter,
    "UPSAMPLE_MODE": .asymmetric, "ROI_ALIGN_MODE": .centersBetweenCorners,
  ]

  static let nodes: [String: CoreMLLayerImport.Build] = [
    "padding": { (layer) throws(WeighbridgeError) in [try layer.padding()] },
    "constantPad": { (layer) throws(WeighbridgeError) in [try layer.constantPadding()] },
    "crop": { (layer) throws(WeighbridgeError) in [try layer.crop()] },
    "upsample": { (layer) throws(WeighbridgeError) in [try layer.upsample()] },
    "resizeBilinear": { (layer) throws(WeighbridgeError) in [try layer.resizeBilinear()] },
    "reorganizeData": { (layer) throws(WeighbridgeError) in [try layer.reorganizeData()] },
  ]
}

extension CoreMLNetworkBuilder {
  fileprivate mutating func upsample(
    _ operation: Upsampling
  ) throws(WeighbridgeError) -> String {
    let (x, rank) = (try input(), type().rank)
    guard rank == 4 else {
      guard operation.interpolation == .nearest else {
        throw .unsupported(
          "interpolates along \((rank - 2).counted("spatial axis")), and Core ML can along two")
      }
      var result = x
      let shape = try dimensions(type())
      for (axis, factor) in operation.factors.enumerated() where factor > 1 {
        let indices = (0..<shape[axis + 2] * factor).map { $0 / factor }
        result = try gather(result, axis: axis + 2, indices)
      }
      return result
    }
    switch operation.interpolation {
    case .nearest:
      return try add(
        "upsample", [x], ["scalingFactor": .integers(operation.factors), "mode": .choice("NN")])
    case .linearHalfPixel:
      try requireExactAxes("interpolation between the centres of elements")
      require(version: 5)
      return try add(
        "upsample", [x],
        [
          "scalingFactor": .integers(operation.factors), "mode": .choice("BILINEAR"),
          "linearUpsampleMode": .choice("ALIGN_CORNERS_FALSE"),
        ])
    case .linearAsymmetric:
      return try resizeBilinear(
        to: Array(try dimensions(outputType).dropFirst(2)), "UPSAMPLE_MODE")
    }
  }

  fileprivate mutating func resizeBilinear(
    to target: [Int], _ mode: String
  ) throws(WeighbridgeError) -> String {
    try add(
      "resizeBilinear", [try input()],
      [
        "targetSize": .integers(target),
        "mode": .record(["samplingMethod": .choice(mode)]),
      ])
  }
}

extension ResizingGrid {
  /// The operator for enlarging images by whole factors, where another one than ``Resizing`` says
  /// more.
  fileprivate func enlarging(_ dimensions: [Int], to target: [Int]) -> (any CatalogOperator)? {
    // At the coordinates of its own elements, an image stays as it is.
    if dimensions == target, self != .centersBetweenCorners { return Identity() }
    let factors = zip(dimensions, target).map { $1 / $0 }
    return self == .asymmetric
      ? Upsampling(factors: factors, interpolation: .linearAsymmetric, layout: .channelsFirst) : nil
  }
}

extension CoreMLLayerImport {
  fileprivate mutating func padding() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    let borders = try borders(record("paddingAmounts"))
    let constant = record("constant")
    let (isReflected, isRepeated) = (record("reflection") != nil, record("replication") != nil)
    let value = constant?.double("value") ?? 0
    if !isReflected, !isRepeated, value == 0 {
      let operation = ZeroPadding(
        borders: Borders(before: borders.before, after: borders.after), layout: .channelsFirst)
      return try tensor(add(operation, [images.value]), like: images)
    }
    let operation = Pad(
      before: [0, 0] + borders.before, after: [0, 0] + borders.after,
      mode: isReflected ? .reflect : isRepeated ? .edge : .constant, value: value)
    return try tensor(add(operation, [images.value]), like: images)
  }

  fileprivate mutating func constantPadding() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let amounts = integers("padAmounts")
    guard !flag("padToGivenOutputSizeMode") else {
      throw unsupported(
        "pads to given sizes (padToGivenOutputSizeMode), and padding by given amounts can be read")
    }
    guard amounts.count == 2 * blob.rank else {
      throw malformed(
        "has \(amounts.count) padAmounts, expected two for each of its \(blob.rank.counted("axis"))"
      )
    }
    let operation = Pad(
      before: stride(from: 0, to: amounts.count, by: 2).map { amounts[$0] },
      after: stride(from: 1, to: amounts.count, by: 2).map { amounts[$0] }, mode: .constant,
      value: double("value"))
    return try fullRankBlob(add(operation, [fullRank(blob)]))
  }

  fileprivate mutating func crop() throws(WeighbridgeError) -> CoreMLBlob {
    guard let first = inputs.first, inputs.count <= 2 else {
      throw malformed("takes \(inputs.count.counted("input")), expected 1 or 2")
    }
    let images = try images(first)
    var borders = try borders(record("cropAmounts"))
    let offset = integers("offset")
    if inputs.count == 2 {
      let reference = try self.images(inputs[1]).value
      let inputSize = try spatialDimensions(images.value)
      let outputSize = try spatialDimensions(reference)
      let start = offset.isEmpty ? [0, 0] : offset
      guard start.count == 2,
        zip(zip(inputSize, outputSize), start).allSatisfy({ $1 <= $0.0 - $0.1 })
      else {
        throw malformed(
          "cuts \(outputSize) at the offset \(start) out of \(inputSize), expected a part of it")
      }
      borders = (start, (0..<2).map { inputSize[$0] - outputSize[$0] - start[$0] })
    }
    let operation = Cropping(
      borders: Borders(before: borders.before, after: borders.after), layout: .channelsFirst)
    return try tensor(add(operation, [images.value]), like: images)
  }

  fileprivate mutating func upsample() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    let isLinear = choice("mode", default: "NN") == "BILINEAR"
    let sampling = choice("linearUpsampleMode", default: "DEFAULT")
    let scaling = try upsamplingFactors()
    let grid: ResizingGrid? =
      switch sampling {
      case "ALIGN_CORNERS_TRUE" where isLinear: .alignCorners
      case "ALIGN_CORNERS_FALSE" where isLinear: .halfPixel
      default: nil
      }
    guard case .whole(let factors) = scaling, grid != .alignCorners else {
      guard let grid else {
        throw malformed(
          "enlarges by \(scaling) in the mode \(isLinear ? sampling : "NN"), and only the modes "
            + "ALIGN_CORNERS_TRUE and ALIGN_CORNERS_FALSE allow fractions")
      }
      let target = try upsampledDimensions(of: images.value, by: scaling)
      return try tensor(resized(images.value, to: target, grid), like: images)
    }
    let interpolation: Upsampling.Interpolation =
      !isLinear ? .nearest : grid == nil ? .linearAsymmetric : .linearHalfPixel
    let operation = Upsampling(
      factors: factors, interpolation: interpolation, layout: .channelsFirst)
    return try tensor(add(operation, [images.value]), like: images)
  }

  /// The factors by which height and width are enlarged.
  private enum UpsamplingFactors: CustomStringConvertible {
    case whole([Int])
    /// Factors of which one is no integer.
    case fractional([Double])

    var description: String {
      switch self {
      case .whole(let factors): "\(factors)"
      case .fractional(let factors): "\(factors)"
      }
    }
  }

  private mutating func upsamplingFactors() throws(WeighbridgeError) -> UpsamplingFactors {
    let whole = try integers("scalingFactor", default: [1, 1])
    let fractions = definition.settings.doubles("fractionalScalingFactor")
    ignore("fractionalScalingFactor")
    if fractions.isEmpty { return .whole(whole) }
    guard fractions.count == 2, fractions.allSatisfy({ (0x1p-24...0x1p24).contains($0) }) else {
      throw malformed(
        "has the fractionalScalingFactor \(fractions), expected two factors from 2^-24 to 2^24")
    }
    let integers = fractions.compactMap { Int(exactly: $0) }
    return integers.count == 2 ? .whole(integers) : .fractional(fractions)
  }

  /// The height and width of enlarged images. Core ML rounds them down, computing in float32.
  private func upsampledDimensions(
    of image: ValueID, by factors: UpsamplingFactors
  ) throws(WeighbridgeError) -> [Int] {
    let dimensions = try spatialDimensions(image)
    switch factors {
    case .whole(let factors):
      return zip(dimensions, factors).map { $0.multipliedReportingOverflow(by: $1) }
        .map { $0.overflow ? Int.max : $0.partialValue }
    case .fractional(let factors):
      return zip(dimensions, factors).map {
        Int(exactly: (Float($0) * Float($1)).rounded(.down)) ?? Int.max
      }
    }
  }

  fileprivate mutating func resizeBilinear() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    let target = try integers("targetSize", default: [1, 1])
    let mode = record("mode")?.choice("samplingMethod")
    let grid = mode.flatMap { CoreMLResizing.grids[$0] } ?? .alignCorners
    return try tensor(resized(images.value, to: target, grid), like: images)
  }

  /// Adds a bilinear interpolation of images.
  private mutating func resized(
    _ image: ValueID, to target: [Int], _ grid: ResizingGrid
  ) throws(WeighbridgeError) -> ValueID {
    if let problem = Resizing.problem(target) { throw malformed(problem) }
    let dimensions = type(image).shape.dropFirst(2).compactMap(\.value)
    let isMultiple = zip(dimensions, target).allSatisfy { $0 > 0 && $1 % $0 == 0 }
    if dimensions.count == 2, isMultiple, let operation = grid.enlarging(dimensions, to: target) {
      return try add(operation, [image])
    }
    return try add(
      Resizing(
        dimensions: target, interpolation: .bilinear, antialiases: false, fit: .stretch,
        layout: .channelsFirst, grid: grid), [image])
  }

  fileprivate mutating func reorganizeData() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    let block = integer("blockSize")
    switch choice("mode", default: "SPACE_TO_DEPTH") {
    case "SPACE_TO_DEPTH":
      let operation = SpaceToDepth(block: block, layout: .channelsFirst)
      return try tensor(add(operation, [images.value]), like: images)
    case "DEPTH_TO_SPACE":
      let operation = DepthToSpace(block: block, layout: .channelsFirst)
      return try tensor(add(operation, [images.value]), like: images)
    default: return try tensor(pixelShuffled(images.value, block), like: images)
    }
  }

  /// Moves channel c * block² + y * block + x to channel c at position (y, x) of each block (pixel
  /// shuffle, Shi et al. 2016).
  private mutating func pixelShuffled(
    _ image: ValueID, _ block: Int
  ) throws(WeighbridgeError) -> ValueID {
    let dimensions = try spatialDimensions(image)
    guard block >= 2, block < 1 << 16, dimensions.allSatisfy({ $0 < 1 << 40 }) else {
      throw malformed("has the blockSize \(block), expected 2 or more")
    }
    let blocks = try add(
      ReshapeAxes([
        .axis(0), .rest, .fixed(block), .fixed(block), .fixed(dimensions[0]), .fixed(dimensions[1]),
      ]), [image], role: "part")
    let transposed = try add(Transpose(axes: [0, 1, 4, 2, 5, 3]), [blocks], role: "transpose")
    return try add(
      ReshapeAxes([
        .axis(0), .axis(1), .fixed(dimensions[0] * block), .fixed(dimensions[1] * block),
      ]), [transposed])
  }
}
