import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// Windows without weights.
enum ONNXPooling {
  static let rows: [ONNXRow] = [
    ONNXRow(MaxPooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      return draft.pool("MaxPool", operation.window, padding: -.infinity, [])
    },
    ONNXRow(AveragePooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      let isDilated = operation.window.dilation.contains { $0 > 1 }
      guard !isDilated || draft.opset >= 19 else {
        throw WeighbridgeError(.unsupported, "ONNX dilates the mean's window from opset 19 on")
      }
      return draft.pool(
        "AveragePool", operation.window, padding: 0,
        [("count_include_pad", .integer(operation.countsPadding ? 1 : 0))])
    },
    ONNXRow(GlobalAveragePooling.self) { (operation, draft) throws(WeighbridgeError) in
      draft.globalPool(operation, "GlobalAveragePool", "ReduceMean")
    },
    ONNXRow(GlobalMaxPooling.self) { (operation, draft) throws(WeighbridgeError) in
      draft.globalPool(operation, "GlobalMaxPool", "ReduceMax")
    },
    ONNXRow(AdaptiveAveragePooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      return try draft.weighted { axis, old in
        (0..<operation.extents[axis]).map { output in
          let range = range(output, from: old, to: operation.extents[axis])
          return (0..<old).map { range.contains($0) ? 1 / Double(range.count) : 0 }
        }
      }
    },
    ONNXRow(AdaptiveMaxPooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      var result = draft.input()
      for (axis, extent) in try draft.knownSpatialExtents().enumerated() {
        let parts = (0..<operation.extents[axis]).map { output in
          let range = range(output, from: extent, to: operation.extents[axis])
          let part = draft.slice(
            result, axes: [axis + 2], from: [range.lowerBound], to: [range.upperBound])
          return draft.reduce("ReduceMax", part, [axis + 2])
        }
        result = draft.concatenate(parts, axis: axis + 2)
      }
      return result
    },
    ONNXRow(MaskedAveragePooling.self) { (operation, draft) throws(WeighbridgeError) in
      let steps = operation.layout.spatialAxes(rank: 3).lowerBound
      let mask = draft.cast(draft.input(1), to: draft.elementType)
      let weights = draft.unsqueeze(mask, [3 - steps])
      let counted = draft.choose(
        draft.unsqueeze(draft.input(1), [3 - steps]), draft.input(), draft.number(0))
      let sum = draft.reduce("ReduceSum", counted, [steps], keeps: operation.keepsAxes)
      let count = draft.reduce("ReduceSum", weights, [steps], keeps: operation.keepsAxes)
      return draft.add("Div", [sum, count])
    },
  ]

  /// The elements that an element of the output covers.
  private static func range(_ output: Int, from old: Int, to new: Int) -> Range<Int> {
    output * old / new..<((output + 1) * old + new - 1) / new
  }
}

extension ONNXDraft {
  /// A node for a window. ONNX never puts a window into the padding alone; where that is possible,
  /// the padding becomes a node of its own.
  fileprivate mutating func pool(
    _ operation: String, _ window: Window, padding: Double,
    _ attributes: [(name: String, value: ONNXAttribute)]
  ) -> String {
    var (input, window) = (input(), window)
    var extents = spatialExtents
    // From opset 19 on the mean's window has dilations too.
    let hasDilation = operation == "MaxPool" || window.dilation.contains { $0 > 1 }
    if window.mayLieInPadding, case .explicit(let before, let after) = window.padding {
      input = pad(
        input, before: [0, 0] + before, after: [0, 0] + after, mode: "constant", number: padding)
      window = Window(
        size: window.size, strides: window.strides, dilation: window.dilation, padding: .valid)
      extents = zip(extents, zip(before, after)).map { extent, borders in
        extent.value.map { .fixed($0 + borders.0 + borders.1) } ?? .unknown
      }
    }
    let settings = window.onnxAttributes(for: extents).filter {
      hasDilation || $0.name != "dilations"
    }
    return add(operation, [input], window: settings + attributes)
  }

  fileprivate mutating func globalPool(
    _ operation: some GlobalPoolingOperator, _ node: String, _ reduction: String
  ) -> String {
    if operation.keepsAxes, operation.layout == .channelsFirst { return add(node, [input()]) }
    let axes = Array(operation.layout.spatialAxes(rank: type().rank))
    return reduce(reduction, input(), axes, keeps: operation.keepsAxes)
  }

  /// The spatial extents of the first input, which is channels-first.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when one is known only when the model runs.
  func knownSpatialExtents() throws(WeighbridgeError) -> [Int] {
    let known = spatialExtents.compactMap(\.value)
    guard known.count == spatialExtents.count else {
      throw WeighbridgeError(
        .unsupported, "ONNX has this for known extents only, and they are \(spatialExtents)")
    }
    return known
  }

  /// Sums along the spatial axes, one after the other, with given weights.
  ///
  /// - Parameter weights: For an axis and its extent the weights of each element of the output.
  mutating func weighted(
    _ weights: (_ axis: Int, _ extent: Int) -> [[Double]]
  ) throws(WeighbridgeError) -> String {
    try weighted(input(), try knownSpatialExtents(), weights)
  }

  /// Sums along the spatial axes of a value, which has known extents.
  mutating func weighted(
    _ input: String, _ extents: [Int], _ weights: (_ axis: Int, _ extent: Int) -> [[Double]]
  ) throws(WeighbridgeError) -> String {
    var result = input
    let rank = extents.count + 2
    for (axis, extent) in extents.enumerated() {
      let rows = weights(axis, extent)
      let matrix = Tensor(elementType, shape: [rows.count, extent], rows.flatMap { $0 })
      let order = (0..<rank).filter { $0 != axis + 2 } + [axis + 2]
      let product = add(
        "MatMul", [transpose(result, order), constant(matrix.permuted([1, 0]))])
      result = transpose(product, order.indices.sorted { order[$0] < order[$1] })
    }
    return result
  }
}
