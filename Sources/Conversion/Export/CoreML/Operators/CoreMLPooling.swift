import Bytes
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Windows without weights.
enum CoreMLPooling {
  static let rows: [CoreMLRow] = [
    CoreMLRow(MaxPooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      return try draft.pool("MAX", operation.window, countsPadding: false)
    },
    CoreMLRow(AveragePooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      return try draft.pool(
        "AVERAGE", operation.window, countsPadding: operation.countsPadding)
    },
    CoreMLRow(GlobalAveragePooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.globalPool(operation, "AVERAGE", "reduceMean")
    },
    CoreMLRow(GlobalMaxPooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.globalPool(operation, "MAX", "reduceMax")
    },
    CoreMLRow(AdaptiveAveragePooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      return try draft.weighted(try draft.input(), try draft.extents(draft.type())) { axis, old in
        (0..<operation.extents[axis]).map { output in
          let range = range(output, from: old, to: operation.extents[axis])
          return (0..<old).map { range.contains($0) ? 1 / Double(range.count) : 0 }
        }
      }
    },
    CoreMLRow(AdaptiveMaxPooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      let (rank, shape) = (draft.type().rank, try draft.extents(draft.type()))
      var result = try draft.input()
      for (axis, extent) in operation.extents.enumerated() {
        var parts: [String] = []
        for output in 0..<extent {
          let range = range(output, from: shape[axis + 2], to: extent)
          let part = try draft.slice(result, rank: rank, axis: axis + 2, range)
          parts.append(try draft.reduce("reduceMax", part, [axis + 2]))
        }
        result = try draft.concatenate(parts, axis: axis + 2)
      }
      return result
    },
    CoreMLRow(MaskedAveragePooling.self) { (operation, draft) throws(WeighbridgeError) in
      let steps = operation.layout.spatialAxes(rank: 3).lowerBound
      let weights = try draft.expandDims(try draft.input(1), [3 - steps])
      let counted = try draft.choose(weights, try draft.input(), try draft.number(0))
      let sum = try draft.reduce("reduceSum", counted, [steps], keeps: operation.keepsAxes)
      let count = try draft.reduce("reduceSum", weights, [steps], keeps: operation.keepsAxes)
      return try draft.quotient(sum, count)
    },
  ]

  /// The elements that an element of the output covers.
  private static func range(_ output: Int, from old: Int, to new: Int) -> Range<Int> {
    output * old / new..<((output + 1) * old + new - 1) / new
  }
}

extension CoreMLDraft {
  fileprivate mutating func pool(
    _ kind: String, _ window: Window, countsPadding: Bool
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
        "type": .choice(kind), "countExcludePadding": .boolean(!countsPadding),
      ]
      settings.set(window, lists: [("kernel", window.size), ("stride", window.strides)])
      return try add("pooling3d", [x], settings)
    }
    return try inPlane(x, window) { (draft, input, window) throws(WeighbridgeError) in
      var settings: ProtobufRecord = [
        "type": .choice(kind), "kernelSize": .integers(window.size),
        "stride": .integers(window.strides), "avgPoolExcludePadding": .boolean(!countsPadding),
      ]
      settings.set(window.padding)
      return try draft.add("pooling", [input], settings)
    }
  }

  /// Where the spatial axes go, those of images are B, C inside already.
  fileprivate mutating func globalPool(
    _ operation: some GlobalPoolingOperator, _ kind: String, _ reduction: String
  ) throws(WeighbridgeError) -> String {
    let rank = type().rank
    if operation.layout == .channelsFirst, rank == 4, operation.keepsAxes || axes == .images {
      return try add(
        "pooling", [try input()],
        [
          "type": .choice(kind), "globalPooling": .boolean(true),
          "valid": .record(["paddingAmounts": .record(.borders(before: [0, 0], after: [0, 0]))]),
        ])
    }
    return try reduce(
      reduction, try input(), Array(operation.layout.spatialAxes(rank: rank)),
      keeps: operation.keepsAxes)
  }

  /// Sums along the spatial axes, one after the other, with given weights.
  ///
  /// - Parameters:
  ///   - shape: The input's, channels first.
  ///   - weights: For an axis and its extent the weights of each element of the output.
  mutating func weighted(
    _ input: String, _ shape: [Int], _ weights: (_ axis: Int, _ extent: Int) -> [[Double]]
  ) throws(WeighbridgeError) -> String {
    var result = input
    let rank = shape.count
    for (axis, extent) in shape.dropFirst(2).enumerated() {
      let rows = weights(axis, extent)
      let order = (0..<rank).filter { $0 != axis + 2 } + [axis + 2]
      let product = try add(
        "batchedMatmul", [try transpose(result, order)],
        [
          "weightMatrixFirstDimension": .integer(extent),
          "weightMatrixSecondDimension": .integer(rows.count),
          "weights": self.weights(rows.flatMap { $0 }),
        ])
      result = try transpose(product, order.indices.sorted { order[$0] < order[$1] })
    }
    return result
  }
}
