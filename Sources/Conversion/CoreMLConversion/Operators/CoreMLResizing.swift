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
      let rests = zip(dimensions, operation.dimensions).map { $0 - $1 }
      guard rests.allSatisfy({ $0 >= 0 }) else { return nil }
      let starts = rests.map { $0 / 2 }
      let amounts = ProtobufRecord.borders(before: starts, after: zip(rests, starts).map(-))
      return try builder.add(
        "crop", [try builder.input()], ["cropAmounts": .record(amounts)])
    },
    CoreMLRow(CLAHE.self, unsupported: "Core ML has no histograms"),
  ]

  static let nodes: [String: CoreMLCall.Build] = [
    "padding": { (call) throws(WeighbridgeError) in [try call.padding()] },
    "constantPad": { (call) throws(WeighbridgeError) in [try call.constantPadding()] },
    "crop": { (call) throws(WeighbridgeError) in [try call.crop()] },
    "upsample": { (call) throws(WeighbridgeError) in [try call.upsample()] },
    "resizeBilinear": { (call) throws(WeighbridgeError) in [try call.resizeBilinear()] },
    "reorganizeData": { (call) throws(WeighbridgeError) in [try call.reorganizeData()] },
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
        let places = (0..<shape[axis + 2] * factor).map { $0 / factor }
        result = try gather(result, axis: axis + 2, places)
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

extension CoreMLCall {
  fileprivate mutating func padding() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    let borders = try borders(record("paddingAmounts"))
    let constant = record("constant")
    let (isMirrored, isRepeated) = (record("reflection") != nil, record("replication") != nil)
    let number = constant?.real("value") ?? 0
    if !isMirrored, !isRepeated, number == 0 {
      let operation = ZeroPadding(
        borders: Borders(before: borders.before, after: borders.after), layout: .channelsFirst)
      return try tensor(add(operation, [images.value]), like: images)
    }
    let operation = Pad(
      before: [0, 0] + borders.before, after: [0, 0] + borders.after,
      mode: isMirrored ? .reflect : isRepeated ? .edge : .constant, number: number)
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
      number: real("value"))
    return try exact(add(operation, [whole(blob)]))
  }

  fileprivate mutating func crop() throws(WeighbridgeError) -> CoreMLBlob {
    guard let first = inputs.first else { throw malformed("takes nothing") }
    let images = try images(first)
    var borders = try borders(record("cropAmounts"))
    let offset = integers("offset")
    if inputs.count == 2 {
      let reference = try self.images(inputs[1]).value
      let (old, new) = (try spatialDimensions(images.value), try spatialDimensions(reference))
      let start = offset.isEmpty ? [0, 0] : offset
      guard start.count == 2, zip(zip(old, new), start).allSatisfy({ $1 <= $0.0 - $0.1 }) else {
        throw malformed("cuts \(new) at \(start) out of \(old)")
      }
      borders = (start, (0..<2).map { old[$0] - new[$0] - start[$0] })
    }
    let operation = Cropping(
      borders: Borders(before: borders.before, after: borders.after), layout: .channelsFirst)
    return try tensor(add(operation, [images.value]), like: images)
  }

  fileprivate mutating func upsample() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    var factors = try integers("scalingFactor", default: [1, 1])
    let fractions = layer.settings.reals("fractionalScalingFactor")
    ignore("fractionalScalingFactor")
    if !fractions.isEmpty {
      guard fractions.count == 2,
        fractions.allSatisfy({ $0.rounded() == $0 && (1...16_777_216).contains($0) })
      else { throw unsupported("enlarges by \(fractions)") }
      factors = fractions.map { Int($0) }
    }
    let isLinear = choice("mode", default: "NN") == "BILINEAR"
    let grid = choice("linearUpsampleMode", default: "DEFAULT")
    guard !isLinear || grid != "ALIGN_CORNERS_TRUE" else {
      throw unsupported("enlarges with the corners kept in place")
    }
    let interpolation: Upsampling.Interpolation =
      !isLinear ? .nearest : grid == "DEFAULT" ? .linearAsymmetric : .linearHalfPixel
    let operation = Upsampling(
      factors: factors, interpolation: interpolation, layout: .channelsFirst)
    return try tensor(add(operation, [images.value]), like: images)
  }

  fileprivate mutating func resizeBilinear() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    let wanted = try integers("targetSize", default: [1, 1])
    let mode =
      record("mode")?.choice("samplingMethod") ?? "STRICT_ALIGN_ENDPOINTS_MODE"
    let old = try spatialDimensions(images.value)
    if old == wanted { return try tensor(add(Identity(), [images.value]), like: images) }
    guard mode == "UPSAMPLE_MODE",
      zip(old, wanted).allSatisfy({ $0 > 0 && $1 % $0 == 0 })
    else { throw unsupported("resizes \(old) to \(wanted) by \(mode)") }
    let operation = Upsampling(
      factors: zip(old, wanted).map { $1 / $0 }, interpolation: .linearAsymmetric,
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
    default: return try tensor(shuffled(images.value, block), like: images)
    }
  }

  /// Moves channel c block² + y block + x to channel c at position y, x of each block (Shi et al.
  /// 2016).
  private mutating func shuffled(
    _ image: ValueID, _ block: Int
  ) throws(WeighbridgeError) -> ValueID {
    let dimensions = try spatialDimensions(image)
    guard block >= 2, block < 1 << 16, dimensions.allSatisfy({ $0 < 1 << 40 }) else {
      throw malformed("has blocks of \(block)")
    }
    let parted = try add(
      ReshapeAxes([
        .axis(0), .rest, .fixed(block), .fixed(block), .fixed(dimensions[0]), .fixed(dimensions[1]),
      ]), [image], role: "part")
    let turned = try add(Transpose(axes: [0, 1, 4, 2, 5, 3]), [parted], role: "turn")
    return try add(
      ReshapeAxes([
        .axis(0), .axis(1), .fixed(dimensions[0] * block), .fixed(dimensions[1] * block),
      ]), [turned])
  }
}
