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
      try builder.requireChannelsFirst(operation.layout)
      return try builder.upsample(operation)
    },
    CoreMLRow(Resizing.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.requireChannelsFirst(operation.layout)
      return try builder.resize(operation)
    },
    CoreMLRow(CenterCrop.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.requireChannelsFirst(operation.layout)
      let dimensions = try builder.dimensions(builder.type()).dropFirst(2)
      let rests = zip(dimensions, operation.dimensions).map { $0 - $1 }
      guard rests.allSatisfy({ $0 >= 0 }) else {
        return try builder.resize(
          Resizing(
            dimensions: operation.dimensions, interpolation: .bilinear, antialiases: false,
            fit: .crop,
            layout: .channelsFirst))
      }
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

  /// Sums with the weights that each element of the output gives to those of the input.
  fileprivate mutating func resize(_ operation: Resizing) throws(WeighbridgeError) -> String {
    let shape = try dimensions(type())
    let (fitted, dimensions) = try fit(try input(), Array(shape.dropFirst(2)), operation)
    return try weighted(fitted, shape.prefix(2) + dimensions) { axis, old in
      (0..<operation.dimensions[axis]).map { output in
        let sample = operation.interpolation.sample(
          output, from: old, to: operation.dimensions[axis], antialiases: operation.antialiases)
        var row = [Double](repeating: 0, count: old)
        for (index, weight) in sample.weights.enumerated() { row[sample.first + index] = weight }
        return row
      }
    }
  }

  /// The image to be stretched.
  private mutating func fit(
    _ input: String, _ known: [Int], _ operation: Resizing
  ) throws(WeighbridgeError) -> (name: String, dimensions: [Int]) {
    var (result, dimensions) = (input, known)
    for axis in operation.fit == .stretch ? [] : [0, 1] {
      let part = operation.fit.part(axis, of: known, for: operation.dimensions)
      switch operation.fit {
      case .stretch: break
      case .crop: result = try slice(result, rank: 4, axis: axis + 2, part)
      case .pad(let number):
        var borders = [0, 0, 0, 0]
        borders[axis + 2] = -part.lowerBound
        result = try pad(result, before: borders, after: borders, number: number)
      }
      dimensions[axis] = part.count
    }
    return (result, dimensions)
  }
}
