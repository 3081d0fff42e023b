import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Activations: elementwise functions, and functions along axes.
enum ONNXActivations: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(Exponential.self, is: "Exp"),
    ONNXRow(Sigmoid.self, is: "Sigmoid"),
    ONNXRow(Softplus.self, is: "Softplus"),
    ONNXRow(Softsign.self, is: "Softsign"),
    ONNXRow(Tanh.self, is: "Tanh"),
    ONNXRow(PReLU.self, is: "PRelu"),
    ONNXRow(ELU.self, is: "Elu") { ["alpha": .float($0.alpha)] },
    ONNXRow(SELU.self, is: "Selu") { _ in
      ["alpha": .float(SELU.alpha), "gamma": .float(SELU.scale)]
    },
    ONNXRow(LeakyReLU.self, is: "LeakyRelu") { ["alpha": .float($0.slope)] },
    ONNXRow(HardShrink.self, is: "Shrink") { ["lambd": .float($0.threshold)] },
    ONNXRow(SoftShrink.self, is: "Shrink") {
      ["bias": .float($0.threshold), "lambd": .float($0.threshold)]
    },
    ONNXRow(HardSigmoid.self, is: "HardSigmoid") {
      ["alpha": .float($0.slope), "beta": .float($0.offset)]
    },
    ONNXRow(native: GELU.self) { (operation, builder) throws(WeighbridgeError) in
      builder.gelu(isApproximate: operation.isApproximate)
    },
    ONNXRow(native: ReLU.self) { (operation, builder) throws(WeighbridgeError) in
      builder.relu(operation)
    },
    ONNXRow(native: Softmax.self) { (operation, builder) throws(WeighbridgeError) in
      builder.alongAxis("Softmax", operation.axes)
    },
    ONNXRow(native: LogSoftmax.self) { (operation, builder) throws(WeighbridgeError) in
      builder.alongAxis("LogSoftmax", operation.axes)
    },
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "Celu": unary("alpha", default: 1) { CELU(alpha: $0) },
    "Dropout": { (layer) throws(WeighbridgeError) in
      layer.ignore("seed", "is_test")
      // An input since opset 12, which only training needs.
      let stored = try layer.optional(1)?.tensor?.doubles.first
      let ratio = try layer.float("ratio", default: 0.5)
      if let isTraining = try layer.constant(2), isTraining.doubles != [0] {
        throw layer.unsupported(
          "has training_mode=1, and only a Dropout that does nothing can be read")
      }
      let noise = TrainingNoise(.dropout, rate: stored ?? ratio)
      let input = try layer.apply(Identity(noise: noise), to: try layer.input())
      guard layer.node.outputs.count > 1, !layer.node.outputs[1].isEmpty else { return [input] }
      // The mask is true where an element is kept.
      let ones = try layer.apply(FullLike(value: 1), to: input, role: "ones")
      let type = layer.opset < 10 ? layer.type(input).elementType : .bool
      return [input, try layer.apply(Cast(to: type), to: ones, role: "mask")]
    },
    "Elu": unary("alpha", default: 1) { ELU(alpha: $0) },
    "Gelu": { (layer) throws(WeighbridgeError) in
      let isApproximate = try layer.string("approximate", default: "none") == "tanh"
      return [try layer.apply(GELU(isApproximate: isApproximate), to: try layer.input())]
    },
    "Hardmax": { (layer) throws(WeighbridgeError) in [try layer.hardmax()] },
    "HardSigmoid": { (layer) throws(WeighbridgeError) in
      let operation = HardSigmoid(
        slope: try layer.float("alpha", default: 0.2),
        offset: try layer.float("beta", default: 0.5))
      return [try layer.apply(operation, to: try layer.input())]
    },
    "HardSwish": unary { HardSwish() },
    "LeakyRelu": unary("alpha", default: 0.01) { LeakyReLU(slope: $0) },
    "LogSoftmax": { (layer) throws(WeighbridgeError) in
      try layer.softmax { LogSoftmax(axes: $0) }
    },
    "Mish": unary { Mish() },
    "PRelu": { (layer) throws(WeighbridgeError) in
      let (input, slope) = (try layer.input(0), try layer.input(1))
      let rank = layer.type(input).rank
      let slopes = layer.type(slope)
      guard slopes.rank < rank || (slopes.rank == rank && slopes.shape.first == 1),
        slope.tensor != nil
      else {
        let values = try layer.aligned([input, slope])
        let negative = try layer.apply(Multiply(), values, role: "negative")[0]
        let zero = layer.number(0, like: input, "zero")
        let isNegative = try layer.apply(
          Comparison(.less), to: values[0], zero, role: "is_negative")
        return [try layer.apply(Where(), to: isNegative, negative, values[0])]
      }
      let alpha = try layer.derived(slope, "") { tensor in
        let dimensions = tensor.shape.count >= rank ? tensor.shape.dropFirst() : tensor.shape[...]
        return tensor.reshaped(
          [Int](repeating: 1, count: max(0, rank - 1 - dimensions.count)) + dimensions)
      }
      return try layer.apply(PReLU(), [input, alpha])
    },
    "Relu": unary { ReLU(slope: 0, threshold: 0, maximum: nil) },
    "Selu": { (layer) throws(WeighbridgeError) in
      let alpha = try layer.float("alpha", default: SELU.alpha)
      let scale = try layer.float("gamma", default: SELU.scale)
      let input = try layer.input()
      if Float(alpha) == Float(SELU.alpha), Float(scale) == Float(SELU.scale) {
        return [try layer.apply(SELU(), to: input)]
      }
      let activated = try layer.apply(ELU(alpha: alpha), to: input, role: "elu")
      return [try layer.apply(Multiply(), to: activated, layer.number(scale, like: input, "gamma"))]
    },
    "Shrink": { (layer) throws(WeighbridgeError) in
      let threshold = try layer.float("lambd", default: 0.5)
      let bias = try layer.float("bias", default: 0)
      let input = try layer.input()
      if bias == 0 { return [try layer.apply(HardShrink(threshold: threshold), to: input)] }
      if bias == threshold { return [try layer.apply(SoftShrink(threshold: threshold), to: input)] }
      return [try layer.shrunk(input, threshold: threshold, bias: bias)]
    },
    "Sigmoid": unary { Sigmoid() },
    "Softmax": { (layer) throws(WeighbridgeError) in try layer.softmax { Softmax(axes: $0) } },
    "Softplus": unary { Softplus() },
    "Softsign": unary { Softsign() },
    "Swish": { (layer) throws(WeighbridgeError) in
      [try layer.swish(try layer.input(), role: "")]
    },
    "Tanh": unary { Tanh() },
    "ThresholdedRelu": unary("alpha", default: 1) { Threshold(threshold: $0, replacement: 0) },
  ]
}

extension ONNXGraphBuilder {
  /// Selects the second argument where the first is true, and the third elsewhere.
  mutating func select(_ condition: String, _ first: String, _ second: String) -> String {
    add("Where", [condition, first, second])
  }

  /// Splits the first input along an axis.
  mutating func split(_ axis: Int, _ sizes: [Int]) -> [String] {
    let attributes: KeyValuePairs<String, ONNXAttribute> = ["axis": .integer(axis)]
    return add("Split", [input(), integers(sizes)], attributes, outputCount: sizes.count)
  }

  /// Adds a node for a function along one axis; returns `nil` for several axes.
  fileprivate mutating func alongAxis(_ operation: String, _ axes: [Int]) -> String? {
    axes.count == 1 ? add(operation, [input()], ["axis": .integer(axes[0])]) : nil
  }

  fileprivate mutating func gelu(isApproximate: Bool) -> String? {
    guard opset >= 20 else { return nil }
    return add("Gelu", [input()], ["approximate": .string(isApproximate ? "tanh" : "none")])
  }

  fileprivate mutating func relu(_ operation: ReLU) -> String? {
    guard operation.isPrimitive else { return nil }
    let x = input()
    if operation.slope == 0, let maximum = operation.maximum {
      return add("Clip", [x, number(0), number(maximum)])
    }
    if operation.slope == 0 { return add("Relu", [x]) }
    let activated = add("LeakyRelu", [x], ["alpha": .float(operation.slope)])
    return operation.maximum.map { add("Min", [activated, number($0)]) } ?? activated
  }
}

extension ONNXLayer {
  /// Adds x · sigmoid(alpha · x).
  mutating func swish(_ input: ONNXValue, role: String) throws(WeighbridgeError) -> ONNXValue {
    let alpha = try float("alpha", default: 1)
    if alpha == 1 { return try apply(Swish(), to: input, role: role) }
    let factor = number(alpha, like: input, "alpha")
    let scaled = try apply(Multiply(), to: input, factor, role: "scaled")
    let sigmoid = try apply(Sigmoid(), to: scaled, role: "sigmoid")
    return try apply(Multiply(), to: input, sigmoid, role: role)
  }

  /// Adds a softmax along one axis; before opset 13, along that axis and all following ones.
  fileprivate mutating func softmax(
    _ operation: ([Int]) -> any CatalogOperator
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    let axis = try axis(of: input, default: opset >= 13 ? -1 : 1)
    let axes = opset >= 13 ? [axis] : Array(axis..<type(input).rank)
    return [try apply(operation(axes), to: input)]
  }

  /// Adds a value moved towards 0 by a bias where it is farther from 0 than a threshold, and 0 elsewhere.
  fileprivate mutating func shrunk(
    _ input: ONNXValue, threshold: Double, bias: Double
  ) throws(WeighbridgeError) -> ONNXValue {
    let limits = [-threshold, threshold].map { number($0, like: input, "limit_\($0)") }
    let (offset, zero) = (number(bias, like: input, "bias"), number(0, like: input, "zero"))
    let isBelow = try apply(Comparison(.less), to: input, limits[0], role: "is_below")
    let isAbove = try apply(Comparison(.greater), to: input, limits[1], role: "is_above")
    let raised = try apply(Add(), to: input, offset, role: "raised")
    let lowered = try apply(Subtract(), to: input, offset, role: "lowered")
    let positive = try apply(Where(), to: isAbove, lowered, zero, role: "positive")
    return try apply(Where(), to: isBelow, raised, positive)
  }

  /// Adds 1 at the first maximum along an axis and 0 elsewhere; before opset 13, along that axis and all following
  /// ones.
  fileprivate mutating func hardmax() throws(WeighbridgeError) -> ONNXValue {
    let input = try input()
    let type = type(input)
    let axis = try axis(of: input, default: opset >= 13 ? -1 : 1)
    let isFlattened = opset < 13 && axis + 1 < type.rank
    guard let depth = type.shape[axis].value, !isFlattened else {
      throw unsupported(
        "finds the maximum along several axes or one of unknown size, and only one axis of a known size can be "
          + "read")
    }
    let maximum = ArgMax(axis: axis, keepDims: false, elementType: .int64)
    let position = try apply(maximum, to: input, role: "position")
    return try apply(
      OneHot(axis: axis, depth: depth, on: 1, off: 0, elementType: type.elementType), to: position)
  }
}
