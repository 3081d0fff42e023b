import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Windows without weights.
enum ONNXPooling {
  static let rows: [ONNXRow] = [
    ONNXRow(MaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      builder.pool("MaxPool", operation.window, padding: -.infinity, [])
    },
    ONNXRow(AveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      let isDilated = operation.window.dilation.contains { $0 > 1 }
      guard !isDilated || builder.opset >= 19 else {
        throw WeighbridgeError(.unsupported, "ONNX dilates the mean's window from opset 19 on")
      }
      return builder.pool(
        "AveragePool", operation.window, padding: 0,
        [("count_include_pad", .integer(operation.countIncludePad ? 1 : 0))])
    },
    ONNXRow(GlobalAveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      builder.globalPool(operation, "GlobalAveragePool", "ReduceMean")
    },
    ONNXRow(GlobalMaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      builder.globalPool(operation, "GlobalMaxPool", "ReduceMax")
    },
    ONNXRow(AdaptiveAveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.weighted { axis, old in
        (0..<operation.dimensions[axis]).map { output in
          let range = range(output, from: old, to: operation.dimensions[axis])
          return (0..<old).map { range.contains($0) ? 1 / Double(range.count) : 0 }
        }
      }
    },
    ONNXRow(AdaptiveMaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      var result = builder.input()
      for (axis, dimension) in try builder.knownSpatialDimensions().enumerated() {
        let parts = (0..<operation.dimensions[axis]).map { output in
          let range = range(output, from: dimension, to: operation.dimensions[axis])
          let part = builder.slice(
            result, axes: [axis + 2], from: [range.lowerBound], to: [range.upperBound])
          return builder.reduce("ReduceMax", part, [axis + 2])
        }
        result = builder.concatenate(parts, axis: axis + 2)
      }
      return result
    },
  ]

  /// The elements that an element of the output covers.
  private static func range(_ output: Int, from old: Int, to new: Int) -> Range<Int> {
    output * old / new..<((output + 1) * old + new - 1) / new
  }
}

extension ONNXGraphBuilder {
  /// A node for a window. ONNX never puts a window into the padding alone; where that is possible,
  /// the padding becomes a node of its own.
  fileprivate mutating func pool(
    _ operation: String, _ window: Window, padding: Double,
    _ attributes: [(name: String, value: ONNXAttribute)]
  ) -> String {
    var (input, window) = (input(), window)
    var dimensions = spatialDimensions
    // From opset 19 on the mean's window has dilations too.
    let hasDilation = operation == "MaxPool" || window.dilation.contains { $0 > 1 }
    if window.mayLieInPadding, case .explicit(let before, let after) = window.padding {
      input = pad(
        input, before: [0, 0] + before, after: [0, 0] + after, mode: "constant", number: padding)
      window = Window(
        size: window.size, strides: window.strides, dilation: window.dilation, padding: .valid)
      dimensions = zip(dimensions, zip(before, after)).map { dimension, borders in
        dimension.value.map { .fixed($0 + borders.0 + borders.1) } ?? .unknown
      }
    }
    let settings = window.onnxAttributes(for: dimensions).filter {
      hasDilation || $0.name != "dilations"
    }
    return add(operation, [input], window: settings + attributes)
  }

  fileprivate mutating func globalPool(
    _ operation: some GlobalPoolingOperator, _ node: String, _ reduction: String
  ) -> String {
    if operation.keepDims { return add(node, [input()]) }
    return reduce(reduction, input(), Array(2..<type().rank), keeps: false)
  }

  /// The spatial sizes of the first input, which is channels-first.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when one is known only when the model runs.
  func knownSpatialDimensions() throws(WeighbridgeError) -> [Int] {
    let known = spatialDimensions.compactMap(\.value)
    guard known.count == spatialDimensions.count else {
      throw WeighbridgeError(
        .unsupported, "ONNX has this for known sizes only, and they are \(spatialDimensions)")
    }
    return known
  }

  /// Sums along the spatial axes, one after the other, with given weights.
  ///
  /// - Parameter weights: For an axis and its size the weights of each element of the output.
  fileprivate mutating func weighted(
    _ weights: (_ axis: Int, _ dimension: Int) -> [[Double]]
  ) throws(WeighbridgeError) -> String {
    let dimensions = try knownSpatialDimensions()
    var result = input()
    let rank = dimensions.count + 2
    for (axis, dimension) in dimensions.enumerated() {
      let rows = weights(axis, dimension)
      let matrix = Tensor(elementType, shape: [rows.count, dimension], rows.flatMap { $0 })
      let order = (0..<rank).filter { $0 != axis + 2 } + [axis + 2]
      let product = add(
        "MatMul", [transpose(result, order), constant(matrix.permuted([1, 0]))])
      result = transpose(product, order.indices.sorted { order[$0] < order[$1] })
    }
    return result
  }
}
