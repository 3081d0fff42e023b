import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Windows without weights.
enum CoreMLPooling {
  static let rows: [CoreMLRow] = [
    CoreMLRow(MaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.pool("MAX", operation.window, countIncludePad: false)
    },
    CoreMLRow(AveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.pool(
        "AVERAGE", operation.window, countIncludePad: operation.countIncludePad)
    },
    CoreMLRow(GlobalAveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.globalPool(operation, "AVERAGE", "reduceMean")
    },
    CoreMLRow(GlobalMaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.globalPool(operation, "MAX", "reduceMax")
    },
    CoreMLRow(AdaptiveAveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.weighted(try builder.input(), try builder.dimensions(builder.type())) {
        axis, old in
        (0..<operation.dimensions[axis]).map { output in
          let range = range(output, from: old, to: operation.dimensions[axis])
          return (0..<old).map { range.contains($0) ? 1 / Double(range.count) : 0 }
        }
      }
    },
    CoreMLRow(AdaptiveMaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      let (rank, shape) = (builder.type().rank, try builder.dimensions(builder.type()))
      var result = try builder.input()
      for (axis, dimension) in operation.dimensions.enumerated() {
        var parts: [String] = []
        for output in 0..<dimension {
          let range = range(output, from: shape[axis + 2], to: dimension)
          let part = try builder.slice(result, rank: rank, axis: axis + 2, range)
          parts.append(try builder.reduce("reduceMax", part, [axis + 2]))
        }
        result = try builder.concatenate(parts, axis: axis + 2)
      }
      return result
    },
  ]

  /// The elements that an element of the output covers.
  private static func range(_ output: Int, from old: Int, to new: Int) -> Range<Int> {
    output * old / new..<((output + 1) * old + new - 1) / new
  }
}

extension CoreMLNetworkBuilder {
  fileprivate mutating func pool(
    _ kind: String, _ window: Window, countIncludePad: Bool
  ) throws(WeighbridgeError) -> String {
    guard window.dilation.allSatisfy({ $0 == 1 }) else {
      throw WeighbridgeError(.unsupported, "Core ML does not dilate the windows of pooling")
    }
    guard !window.mayLieInPadding else {
      throw WeighbridgeError(.unsupported, "a window may see nothing but padding")
    }
    let x = try input()
    guard window.size.count < 3 else {
      var settings: ProtobufRecord = [
        "type": .choice(kind), "countExcludePadding": .boolean(!countIncludePad),
      ]
      settings.set(window, lists: [("kernel", window.size), ("stride", window.strides)])
      return try add("pooling3d", [x], settings)
    }
    return try inPlane(x, window) { (builder, input, window) throws(WeighbridgeError) in
      var settings: ProtobufRecord = [
        "type": .choice(kind), "kernelSize": .integers(window.size),
        "stride": .integers(window.strides), "avgPoolExcludePadding": .boolean(!countIncludePad),
      ]
      settings.set(window.padding)
      return try builder.add("pooling", [input], settings)
    }
  }

  /// Where the spatial axes go, those of images are B, C inside already.
  fileprivate mutating func globalPool(
    _ operation: some GlobalPoolingOperator, _ kind: String, _ reduction: String
  ) throws(WeighbridgeError) -> String {
    let rank = type().rank
    if rank == 4, operation.keepDims || axes == .images {
      return try add(
        "pooling", [try input()],
        [
          "type": .choice(kind), "globalPooling": .boolean(true),
          "valid": .record(["paddingAmounts": .record(.borders(before: [0, 0], after: [0, 0]))]),
        ])
    }
    return try reduce(reduction, try input(), Array(2..<rank), keeps: operation.keepDims)
  }

  /// Sums along the spatial axes, one after the other, with given weights.
  ///
  /// - Parameters:
  ///   - shape: The input's, channels first.
  ///   - weights: For an axis and its size the weights of each element of the output.
  mutating func weighted(
    _ input: String, _ shape: [Int], _ weights: (_ axis: Int, _ dimension: Int) -> [[Double]]
  ) throws(WeighbridgeError) -> String {
    var result = input
    let rank = shape.count
    for (axis, dimension) in shape.dropFirst(2).enumerated() {
      let rows = weights(axis, dimension)
      let order = (0..<rank).filter { $0 != axis + 2 } + [axis + 2]
      let product = try add(
        "batchedMatmul", [try transpose(result, order)],
        [
          "weightMatrixFirstDimension": .integer(dimension),
          "weightMatrixSecondDimension": .integer(rows.count),
          "weights": self.weights(rows.flatMap { $0 }),
        ])
      result = try transpose(product, order.indices.sorted { order[$0] < order[$1] })
    }
    return result
  }
}
