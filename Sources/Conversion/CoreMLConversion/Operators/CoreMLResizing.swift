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
    CoreMLRow(composite: Resizing.self),
    CoreMLRow(native: CenterCrop.self) { (operation, builder) throws(WeighbridgeError) in
      let dimensions = try builder.dimensions(builder.type()).dropFirst(2)
      let margins = zip(dimensions, operation.dimensions).map { $0 - $1 }
      guard margins.allSatisfy({ $0 >= 0 }) else { return nil }
      let starts = margins.map { $0 / 2 }
      let amounts = ProtobufRecord.borders(before: starts, after: zip(margins, starts).map(-))
      return try builder.add(
        "crop", [try builder.input()], ["cropAmounts": .record(amounts)])
    },
    CoreMLRow(CLAHE.self, unsupported: "Core ML has no histograms"),
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
        throw .unsupported("Core ML interpolates along two spatial axes, and there are \(rank - 2)")
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
      let target = Array(try dimensions(outputType).dropFirst(2))
      return try add(
        "resizeBilinear", [x],
        [
          "targetSize": .integers(target),
          "mode": .record(["samplingMethod": .choice("UPSAMPLE_MODE")]),
        ])
    }
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
      throw unsupported("pads to a size that it gives")
    }
    guard amounts.count == 2 * blob.rank else {
      throw malformed("has \(amounts.count) amounts for \(blob.rank) axes")
    }
    let operation = Pad(
      before: stride(from: 0, to: amounts.count, by: 2).map { amounts[$0] },
      after: stride(from: 1, to: amounts.count, by: 2).map { amounts[$0] }, mode: .constant,
      value: double("value"))
    return try fullRankBlob(add(operation, [fullRank(blob)]))
  }

  fileprivate mutating func crop() throws(WeighbridgeError) -> CoreMLBlob {
    guard let first = inputs.first else { throw malformed("takes nothing") }
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
        throw malformed("cuts \(outputSize) at \(start) out of \(inputSize)")
      }
      borders = (start, (0..<2).map { inputSize[$0] - outputSize[$0] - start[$0] })
    }
    let operation = Cropping(
      borders: Borders(before: borders.before, after: borders.after), layout: .channelsFirst)
    return try tensor(add(operation, [images.value]), like: images)
  }

  fileprivate mutating func upsample() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    var factors = try integers("scalingFactor", default: [1, 1])
    let fractionalFactors = definition.settings.doubles("fractionalScalingFactor")
    ignore("fractionalScalingFactor")
    if !fractionalFactors.isEmpty {
      guard fractionalFactors.count == 2,
        fractionalFactors.allSatisfy({ $0.rounded() == $0 && (1...16_777_216).contains($0) })
      else { throw unsupported("enlarges by \(fractionalFactors)") }
      factors = fractionalFactors.map { Int($0) }
    }
    let isLinear = choice("mode", default: "NN") == "BILINEAR"
    let sampling = choice("linearUpsampleMode", default: "DEFAULT")
    guard !isLinear || sampling != "ALIGN_CORNERS_TRUE" else {
      throw unsupported("upsamples with aligned corners")
    }
    let interpolation: Upsampling.Interpolation =
      !isLinear ? .nearest : sampling == "DEFAULT" ? .linearAsymmetric : .linearHalfPixel
    let operation = Upsampling(
      factors: factors, interpolation: interpolation, layout: .channelsFirst)
    return try tensor(add(operation, [images.value]), like: images)
  }

  fileprivate mutating func resizeBilinear() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    let target = try integers("targetSize", default: [1, 1])
    let mode =
      record("mode")?.choice("samplingMethod") ?? "STRICT_ALIGN_ENDPOINTS_MODE"
    let inputSize = try spatialDimensions(images.value)
    if inputSize == target { return try tensor(add(Identity(), [images.value]), like: images) }
    guard mode == "UPSAMPLE_MODE",
      zip(inputSize, target).allSatisfy({ $0 > 0 && $1 % $0 == 0 })
    else { throw unsupported("resizes \(inputSize) to \(target) by \(mode)") }
    let operation = Upsampling(
      factors: zip(inputSize, target).map { $1 / $0 }, interpolation: .linearAsymmetric,
      layout: .channelsFirst)
    return try tensor(add(operation, [images.value]), like: images)
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
      throw malformed("has blocks of \(block)")
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
