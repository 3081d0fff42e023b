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
      layer.ignore("ratio", "seed", "is_test")
      guard layer.node.outputs.count < 2 || layer.node.outputs[1].isEmpty else {
        throw layer.unsupported(
          "gives the mask of its Dropout, which is for training and cannot be read")
      }
      if let isTraining = try layer.constant(2), isTraining.doubles != [0] {
        throw layer.unsupported(
          "has training_mode=1, and only a Dropout that does nothing can be read")
      }
      return [try layer.input()]
    },
    "Elu": unary("alpha", default: 1) { ELU(alpha: $0) },
    "Gelu": { (layer) throws(WeighbridgeError) in
      let isApproximate = try layer.string("approximate", default: "none") == "tanh"
      return [try layer.apply(GELU(isApproximate: isApproximate), to: try layer.input())]
    },
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
      guard slopes.rank < rank || (slopes.rank == rank && slopes.shape.first == 1) else {
        throw layer.unsupported(
          "has slopes \(slopes) for each image of a batch, and only slopes that all "
            + "images share can be read")
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
      guard Float(alpha) == Float(SELU.alpha), Float(scale) == Float(SELU.scale) else {
        throw layer.unsupported(
          "has alpha=\(alpha) and gamma=\(scale), and only those by which SELU is "
            + "defined can be read")
      }
      return [try layer.apply(SELU(), to: try layer.input())]
    },
    "Shrink": { (layer) throws(WeighbridgeError) in
      let threshold = try layer.float("lambd", default: 0.5)
      let bias = try layer.float("bias", default: 0)
      let input = try layer.input()
      if bias == 0 { return [try layer.apply(HardShrink(threshold: threshold), to: input)] }
      guard bias == threshold else {
        throw layer.unsupported(
          "has bias=\(bias) and lambd=\(threshold), and only 0 or the same number as "
            + "bias can be read")
      }
      return [try layer.apply(SoftShrink(threshold: threshold), to: input)]
    },
    "Sigmoid": unary { Sigmoid() },
    "Softmax": { (layer) throws(WeighbridgeError) in try layer.softmax { Softmax(axes: $0) } },
    "Softplus": unary { Softplus() },
    "Softsign": unary { Softsign() },
    "Swish": { (layer) throws(WeighbridgeError) in
      let alpha = try layer.float("alpha", default: 1)
      let input = try layer.input()
      if alpha == 1 { return [try layer.apply(Swish(), to: input)] }
      let factor = layer.number(alpha, like: input, "alpha")
      let scaled = try layer.apply(Multiply(), to: input, factor, role: "scaled")
      let gate = try layer.apply(Sigmoid(), to: scaled, role: "gate")
      return [try layer.apply(Multiply(), to: input, gate)]
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
  /// Adds a softmax along one axis; before opset 13, along that axis and all following ones.
  fileprivate mutating func softmax(
    _ operation: ([Int]) -> any CatalogOperator
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    let axis = try axis(of: input, default: opset >= 13 ? -1 : 1)
    let axes = opset >= 13 ? [axis] : Array(axis..<type(input).rank)
    return [try apply(operation(axes), to: input)]
  }
}
