import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Pooling.
enum ONNXPooling: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(MaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      builder.pool("MaxPool", operation.window, padding: -.infinity, [])
    },
    ONNXRow(AveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      let isDilated = operation.window.dilation.contains { $0 > 1 }
      guard !isDilated || builder.opset >= 19 else {
        throw .unsupported(
          "dilates the window of a mean, and ONNX can from opset 19 on (\(APIName.exportOpset))")
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
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "AveragePool": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let countIncludePad = try layer.flag("count_include_pad")
      let (window, excess) = try layer.poolingWindow(layer.type(input))
      if countIncludePad, excess != window.size.map({ _ in 0 }) {
        return [try layer.averagePooling(input, window, excess)]
      }
      if !countIncludePad, window.mayLieInPadding {
        throw layer.unsupported(
          "has a window that lies in the padding alone and has no mean, and only smaller paddings can be read"
        )
      }
      let operation = AveragePooling(
        window: window, countIncludePad: countIncludePad, layout: .channelsFirst)
      return [try layer.apply(operation, to: input)]
    },
    "GlobalLpPool": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let axes = Array(2..<max(2, layer.type(input).rank))
      return [
        try layer.norm(of: input) { (layer, powers) throws(WeighbridgeError) in
          try layer.apply(Reduce(.sum, axes: axes, keepDims: true), to: powers, role: "sum")
        }
      ]
    },
    "LpPool": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let (window, _) = try layer.poolingWindow(layer.type(input))
      let mean = AveragePooling(window: window, countIncludePad: true, layout: .channelsFirst)
      let count = try Checked.product(window.size, of: "a window")
      return [
        try layer.norm(of: input) { (layer, powers) throws(WeighbridgeError) in
          let mean = try layer.apply(mean, to: powers, role: "mean")
          let factor = layer.number(Double(count), like: mean, "count")
          return try layer.apply(Multiply(), to: mean, factor, role: "sum")
        }
      ]
    },
    "GlobalAveragePool": unary { GlobalAveragePooling(keepDims: true, layout: .channelsFirst) },
    "GlobalMaxPool": unary { GlobalMaxPooling(keepDims: true, layout: .channelsFirst) },
    "MaxPool": { (layer) throws(WeighbridgeError) in try layer.maxPooling() },
    "MaxUnpool": { (layer) throws(WeighbridgeError) in [try layer.maxUnpooling()] },
  ]
}

extension ONNXGraphBuilder {
  /// Adds a pooling node. ONNX does not allow a window that lies entirely in the padding; where
  /// there may be one, a separate node pads.
  fileprivate mutating func pool(
    _ operation: String, _ window: Window, padding: Double,
    _ attributes: [(name: String, value: ONNXAttribute)]
  ) -> String {
    var (input, window) = (input(), window)
    var dimensions = spatialDimensions
    // From opset 19 on, AveragePool has dilations too.
    let hasDilation = operation == "MaxPool" || window.dilation.contains { $0 > 1 }
    if window.mayLieInPadding, case .explicit(let before, let after) = window.padding {
      input = pad(
        input, before: [0, 0] + before, after: [0, 0] + after, mode: "constant", value: padding)
      window = Window(
        size: window.size, strides: window.strides, dilation: window.dilation, padding: .valid)
      dimensions = zip(dimensions, zip(before, after)).map { dimension, borders in
        dimension.value.map { .fixed($0 + borders.0 + borders.1) } ?? .unknown
      }
    }
    let settings = window.onnxAttributes(for: dimensions).filter {
      hasDilation || $0.name != "dilations"
    }
    if settings.contains(where: { $0.name == "auto_pad" }) { input = reached(input, by: window) }
    return add(operation, [input], window: settings + attributes)
  }

  /// Cuts off what no window reaches at the end of an axis where windows lie apart. ONNX pads by what
  /// the last window lacks, which would be negative there; onnxruntime refuses that when it runs.
  private mutating func reached(_ input: String, by window: Window) -> String {
    let extents = window.size.indices.map { window.effectiveSize($0) }
    guard zip(extents, window.strides).contains(where: <) else { return input }
    let axes = 2..<2 + window.strides.count
    // The number of windows along each axis, and where the last one ends.
    let rounded = add("Add", [dimensions(input, axes), integers(window.strides.map { $0 - 1 })])
    let counts = add("Div", [rounded, integers(window.strides)])
    let distances = add("Mul", [counts, integers(window.strides)])
    let ends = add("Add", [distances, integers(zip(extents, window.strides).map(-))])
    return add("Slice", [input, integers(axes.map { _ in 0 }), ends, integers(Array(axes))])
  }

  fileprivate mutating func globalPool(
    _ operation: some GlobalPoolingOperator, _ node: String, _ reduction: String
  ) -> String {
    if operation.keepDims { return add(node, [input()]) }
    return reduce(reduction, input(), Array(2..<type().rank), keepDims: false)
  }
}

extension ONNXLayer {
  /// Adds the p-th root of a sum of p-th powers.
  ///
  /// - Parameter sum: Adds the sum of the powers.
  fileprivate mutating func norm(
    of input: ONNXValue,
    _ sum: (inout ONNXLayer, ONNXValue) throws(WeighbridgeError) -> ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue {
    let power = opset < 2 ? try float("p", default: 2) : Double(try integer("p", default: 2))
    guard power >= 1 else { throw malformed("has p=\(power), and a norm of 1 or more is expected") }
    let sizes = try apply(UnaryMath(.absolute), to: input, role: "sizes")
    if power == 1 { return try sum(&self, sizes) }
    let powers = try apply(
      BinaryMath(.power), to: sizes, number(power, like: sizes, "p"), role: "powers")
    let total = try sum(&self, powers)
    return try apply(BinaryMath(.power), to: total, number(1 / power, like: total, "root"))
  }

  /// Reads the window from the attributes, and how much of the padding at the end of each axis is
  /// there only because the output size is rounded up (`ceil_mode`).
  mutating func poolingWindow(
    _ input: TensorType
  ) throws(WeighbridgeError) -> (window: Window, excess: [Int]) {
    guard let size = try integers("kernel_shape") else {
      throw malformed("has no kernel_shape, the size of the window")
    }
    let usesCeilMode = try flag("ceil_mode")
    let isLowerPadded = has("auto_pad", equalTo: "SAME_LOWER")
    let window = try window(size: size, input: input)
    let isExplicit = window.padding != .same && !isLowerPadded
    guard isExplicit || window.dilation.allSatisfy({ $0 == 1 }) else {
      throw unsupported(
        "has auto_pad and dilations, which runtimes compute differently, and only explicit pads can be read"
      )
    }
    guard usesCeilMode, window.padding != .same else { return (window, size.map { _ in 0 }) }
    guard let rounded = try roundedUp(window, input) else {
      throw unsupported("has ceil_mode=1 for \(input), and the sizes must be known for it")
    }
    return rounded
  }
}
