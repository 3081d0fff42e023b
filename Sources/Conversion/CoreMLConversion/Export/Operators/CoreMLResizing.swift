import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Images of another size, and what is done with their brightness.
enum CoreMLResizing {
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
    CoreMLRow(AutoContrast.self) { (operation, builder) throws(WeighbridgeError) in
      let x = try builder.input()
      let darkest = try builder.reduce("reduceMin", x, [1, 2])
      let span = try builder.difference(try builder.reduce("reduceMax", x, [1, 2]), darkest)
      let isFlat = try builder.compare("equal", span, 0)
      let divisor = try builder.choose(isFlat, try builder.number(1), span)
      let share = try builder.quotient(try builder.difference(x, darkest), divisor)
      let stretched = try builder.clip(
        try builder.linear(
          share, scale: operation.high - operation.low, offset: operation.low),
        operation.low, operation.high)
      return try builder.choose(isFlat, x, stretched)
    },
  ]
}

extension CoreMLNetworkBuilder {
  fileprivate mutating func upsample(
    _ operation: Upsampling
  ) throws(WeighbridgeError) -> String {
    let (x, rank) = (try input(), type().rank)
    guard rank == 4 else {
      guard operation.interpolation == .nearest else {
        throw WeighbridgeError(
          .unsupported, "Core ML interpolates along two spatial axes, and there are \(rank - 2)")
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
