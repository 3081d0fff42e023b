import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Functions of single elements, and of the elements along axes.
enum ONNXActivations {
  static let rows: [ONNXRow] = [
    ONNXRow(Exponential.self, is: "Exp"),
    ONNXRow(Sigmoid.self, is: "Sigmoid"),
    ONNXRow(Softplus.self, is: "Softplus"),
    ONNXRow(Softsign.self, is: "Softsign"),
    ONNXRow(Tanh.self, is: "Tanh"),
    ONNXRow(PReLU.self, is: "PRelu"),
    ONNXRow(ELU.self, is: "Elu") { ["alpha": .real($0.alpha)] },
    ONNXRow(SELU.self, is: "Selu") { _ in
      ["alpha": .real(SELU.alpha), "gamma": .real(SELU.scale)]
    },
    ONNXRow(LeakyReLU.self, is: "LeakyRelu") { ["alpha": .real($0.slope)] },
    ONNXRow(HardShrink.self, is: "Shrink") { ["lambd": .real($0.threshold)] },
    ONNXRow(SoftShrink.self, is: "Shrink") {
      ["bias": .real($0.threshold), "lambd": .real($0.threshold)]
    },
    ONNXRow(HardSigmoid.self, is: "HardSigmoid") {
      ["alpha": .real($0.slope), "beta": .real($0.offset)]
    },
    ONNXRow(CELU.self) { (operation, builder) throws(WeighbridgeError) in
      let (x, alpha) = (builder.input(), builder.number(operation.alpha))
      let power = builder.add("Exp", [builder.add("Div", [x, alpha])])
      let low = builder.add("Mul", [alpha, builder.add("Sub", [power, builder.number(1)])])
      return builder.choose(builder.add("Greater", [x, builder.number(0)]), x, low)
    },
    ONNXRow(GELU.self) { (operation, builder) throws(WeighbridgeError) in
      builder.gelu(isApproximate: operation.isApproximate)
    },
    ONNXRow(native: ReLU.self) { (operation, builder) throws(WeighbridgeError) in
      builder.relu(operation)
    },
    ONNXRow(native: Softmax.self) { (operation, builder) throws(WeighbridgeError) in
      builder.along("Softmax", operation.axes)
    },
    ONNXRow(native: LogSoftmax.self) { (operation, builder) throws(WeighbridgeError) in
      builder.along("LogSoftmax", operation.axes)
    },
    ONNXRow(Sparsemax.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.sparsemax(operation.axes)
    },
  ]
}

extension ONNXGraphBuilder {
  /// The second where the first holds, and the third elsewhere.
  mutating func choose(_ condition: String, _ first: String, _ second: String) -> String {
    add("Where", [condition, first, second])
  }

  /// The first input, cut along an axis.
  mutating func split(_ axis: Int, _ sizes: [Int]) -> [String] {
    let attributes: KeyValuePairs<String, ONNXAttribute> = ["axis": .integer(axis)]
    return add("Split", [input(), integers(sizes)], attributes, outputCount: sizes.count)
  }

  /// A node for a function along one axis; `nil` for several.
  fileprivate mutating func along(_ operation: String, _ axes: [Int]) -> String? {
    axes.count == 1 ? add(operation, [input()], ["axis": .integer(axes[0])]) : nil
  }

  fileprivate mutating func gelu(isApproximate: Bool) -> String {
    let x = input()
    if opset >= 20 {
      return add("Gelu", [x], ["approximate": .text(isApproximate ? "tanh" : "none")])
    }
    let bend: String
    if isApproximate {
      let cube = add("Mul", [add("Mul", [x, x]), x])
      let sum = add("Add", [x, add("Mul", [cube, number(0.044715)])])
      bend = add("Tanh", [add("Mul", [sum, number((2 / Double.pi).squareRoot())])])
    } else {
      bend = add("Erf", [add("Mul", [x, number(0.5.squareRoot())])])
    }
    let share = add("Mul", [add("Add", [bend, number(1)]), number(0.5)])
    return add("Mul", [x, share])
  }

  fileprivate mutating func relu(_ operation: ReLU) -> String? {
    guard case .primitive = operation.decomposition else { return nil }
    let x = input()
    if operation.slope == 0, let maximum = operation.maximum {
      return add("Clip", [x, number(0), number(maximum)])
    }
    if operation.slope == 0 { return add("Relu", [x]) }
    let bent = add("LeakyRelu", [x], ["alpha": .real(operation.slope)])
    return operation.maximum.map { add("Min", [bent, number($0)]) } ?? bent
  }

  /// The elements in falling order, of which the first k lie above the threshold.
  fileprivate mutating func sparsemax(_ axes: [Int]) throws(WeighbridgeError) -> String {
    guard axes.count == 1, let dimension = type().shape[axes[0]].value else {
      throw WeighbridgeError(
        .unsupported, "ONNX sorts along one axis of known size, and this is \(axes)")
    }
    let (x, axis) = (input(), axes[0])
    let sorted = add(
      "TopK", [x, integers([dimension])], ["axis": .integer(axis)], outputCount: 2)[0]
    let sums = add("CumSum", [sorted, number(Double(axis), .int64)])
    var shape = [Int](repeating: 1, count: type().rank)
    shape[axis] = dimension
    let places = numbers((1...max(1, dimension)).map(Double.init), shape: shape)
    let bound = add("Add", [add("Mul", [places, sorted]), number(1)])
    let isInside = add("Greater", [bound, sums])
    let count = reduce("ReduceSum", cast(isInside, to: elementType), axes)
    let total = reduce("ReduceSum", choose(isInside, sums, number(0)), axes)
    let threshold = add("Div", [add("Sub", [total, number(1)]), count])
    return add("Max", [add("Sub", [x, threshold]), number(0)])
  }
}
