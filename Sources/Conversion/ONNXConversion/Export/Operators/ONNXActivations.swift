import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Functions of single elements, and of the elements along axes.
enum ONNXActivations {
  static let rows: [ONNXRow] =
    smooth + bent + gated + [
      ONNXRow(Softmax.self) { (operation, builder) throws(WeighbridgeError) in
        builder.softmax(builder.input(), operation.axes)
      },
      ONNXRow(LogSoftmax.self) { (operation, builder) throws(WeighbridgeError) in
        builder.logSoftmax(operation.axes)
      },
      ONNXRow(GroupedSoftmax.self) { (operation, builder) throws(WeighbridgeError) in
        let parts = builder.split(operation.axis, operation.sizes)
        let shares = parts.map { builder.softmax($0, [operation.axis]) }
        return builder.concatenate(shares, axis: operation.axis)
      },
      ONNXRow(Sparsemax.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.sparsemax(operation.axes)
      },
    ]

  private static let smooth: [ONNXRow] = [
    ONNXRow(Exponential.self, is: "Exp"),
    ONNXRow(Sigmoid.self, is: "Sigmoid"),
    ONNXRow(Softplus.self, is: "Softplus"),
    ONNXRow(Softsign.self, is: "Softsign"),
    ONNXRow(Tanh.self, is: "Tanh"),
    ONNXRow(CELU.self) { (operation, builder) throws(WeighbridgeError) in
      let (x, alpha) = (builder.input(), builder.number(operation.alpha))
      let power = builder.add("Exp", [builder.add("Div", [x, alpha])])
      let low = builder.add("Mul", [alpha, builder.add("Sub", [power, builder.number(1)])])
      return builder.choose(builder.add("Greater", [x, builder.number(0)]), x, low)
    },
    ONNXRow(ELU.self) { (operation, builder) throws(WeighbridgeError) in
      builder.add("Elu", [builder.input()], ["alpha": .real(operation.alpha)])
    },
    ONNXRow(SELU.self) { (_, builder) throws(WeighbridgeError) in
      builder.add(
        "Selu", [builder.input()], ["alpha": .real(SELU.alpha), "gamma": .real(SELU.scale)])
    },
    ONNXRow(GELU.self) { (operation, builder) throws(WeighbridgeError) in
      builder.gelu(isApproximate: operation.isApproximate)
    },
    ONNXRow(LogSigmoid.self) { (_, builder) throws(WeighbridgeError) in
      builder.add("Neg", [builder.add("Softplus", [builder.add("Neg", [builder.input()])])])
    },
    ONNXRow(Squareplus.self) { (operation, builder) throws(WeighbridgeError) in
      let x = builder.input()
      let square = builder.add("Mul", [x, x])
      let root = builder.add(
        "Sqrt", [builder.add("Add", [square, builder.number(operation.smoothness)])])
      return builder.add("Mul", [builder.add("Add", [x, root]), builder.number(0.5)])
    },
  ]

  private static let bent: [ONNXRow] = [
    ONNXRow(ReLU.self) { (operation, builder) throws(WeighbridgeError) in builder.relu(operation) },
    ONNXRow(LeakyReLU.self) { (operation, builder) throws(WeighbridgeError) in
      builder.add("LeakyRelu", [builder.input()], ["alpha": .real(operation.slope)])
    },
    ONNXRow(PReLU.self, is: "PRelu"),
    ONNXRow(Binarization.self) { (_, builder) throws(WeighbridgeError) in
      let isPositive = builder.add("Greater", [builder.input(), builder.number(0)])
      return builder.choose(isPositive, builder.number(1), builder.number(-1))
    },
    ONNXRow(HardMish.self) { (_, builder) throws(WeighbridgeError) in
      let x = builder.input()
      let half = builder.add("Mul", [x, builder.number(0.5)])
      let curve = builder.add("Add", [builder.add("Mul", [half, x]), x])
      let zero = builder.number(0)
      let low = builder.choose(builder.add("Greater", [x, builder.number(-2)]), curve, zero)
      return builder.choose(builder.add("Greater", [x, zero]), x, low)
    },
    ONNXRow(HardShrink.self) { (operation, builder) throws(WeighbridgeError) in
      builder.add("Shrink", [builder.input()], ["lambd": .real(operation.threshold)])
    },
    ONNXRow(SoftShrink.self) { (operation, builder) throws(WeighbridgeError) in
      let threshold = ONNXAttribute.real(operation.threshold)
      return builder.add("Shrink", [builder.input()], ["bias": threshold, "lambd": threshold])
    },
    ONNXRow(HardSigmoid.self) { (operation, builder) throws(WeighbridgeError) in
      builder.add(
        "HardSigmoid", [builder.input()],
        ["alpha": .real(operation.slope), "beta": .real(operation.offset)])
    },
    ONNXRow(PiecewiseLinear.self) { (operation, builder) throws(WeighbridgeError) in
      builder.piecewiseLinear(operation)
    },
    ONNXRow(SparsePlus.self) { (_, builder) throws(WeighbridgeError) in
      let (x, one) = (builder.input(), builder.number(1))
      let sum = builder.add("Add", [x, one])
      let curve = builder.add("Mul", [builder.add("Mul", [sum, sum]), builder.number(0.25)])
      let isLow = builder.add("LessOrEqual", [x, builder.number(-1)])
      let low = builder.choose(isLow, builder.number(0), curve)
      return builder.choose(builder.add("GreaterOrEqual", [x, one]), x, low)
    },
    ONNXRow(Stair.self) { (_, builder) throws(WeighbridgeError) in
      let x = builder.input()
      let floor = builder.add("Floor", [x])
      let half = builder.add("Floor", [builder.add("Mul", [x, builder.number(0.5)])])
      let even = builder.add("Add", [half, half])
      let ramp = builder.add("Add", [builder.add("Sub", [x, floor]), half])
      return builder.choose(builder.add("Equal", [floor, even]), half, ramp)
    },
    ONNXRow(Threshold.self) { (operation, builder) throws(WeighbridgeError) in
      let isAbove = builder.add("Greater", [builder.input(), builder.number(operation.threshold)])
      return builder.choose(isAbove, builder.input(), builder.number(operation.replacement))
    },
  ]

  private static let gated: [ONNXRow] = [
    ONNXRow(GLU.self) { (operation, builder) throws(WeighbridgeError) in
      let dimension = builder.type().shape[operation.axis].value
      guard let dimension else {
        throw WeighbridgeError(.unsupported, "ONNX wants the size that is split known")
      }
      let halves = builder.split(operation.axis, [dimension / 2, dimension / 2])
      return builder.add("Mul", [halves[0], builder.add("Sigmoid", [halves[1]])])
    }
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

  /// The softmax along axes.
  mutating func softmax(_ input: String, _ axes: [Int]) -> String {
    if axes.count == 1 { return add("Softmax", [input], ["axis": .integer(axes[0])]) }
    let powers = add("Exp", [add("Sub", [input, reduce("ReduceMax", input, axes)])])
    return add("Div", [powers, reduce("ReduceSum", powers, axes)])
  }

  fileprivate mutating func logSoftmax(_ axes: [Int]) -> String {
    let x = input()
    if axes.count == 1 { return add("LogSoftmax", [x], ["axis": .integer(axes[0])]) }
    let distance = add("Sub", [x, reduce("ReduceMax", x, axes)])
    let sum = reduce("ReduceSum", add("Exp", [distance]), axes)
    return add("Sub", [distance, add("Log", [sum])])
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

  fileprivate mutating func relu(_ operation: ReLU) -> String {
    let x = input()
    if operation.threshold == 0, operation.slope == 0 {
      guard let maximum = operation.maximum else { return add("Relu", [x]) }
      return add("Clip", [x, number(0), number(maximum)])
    }
    if operation.threshold == 0, operation.maximum == nil {
      return add("LeakyRelu", [x], ["alpha": .real(operation.slope)])
    }
    let distance = add("Sub", [x, number(operation.threshold)])
    let low = add("Mul", [distance, number(operation.slope)])
    let high = operation.maximum.map { add("Clip", [x, number(0), number($0)]) } ?? x
    return choose(add("Greater", [x, number(operation.threshold)]), high, low)
  }

  /// The value at the first knot, and what each piece adds up to the element.
  fileprivate mutating func piecewiseLinear(_ operation: PiecewiseLinear) -> String {
    let (x, knots) = (input(), operation.knots)
    var terms = [number(operation.value)]
    for (index, slope) in operation.slopes.enumerated() where slope != 0 {
      let start = max(0, index - 1)
      let distance = add("Sub", [x, number(knots[start])])
      let part: String
      if index == 0 {
        part = add("Min", [distance, number(0)])
      } else if index == knots.count {
        part = add("Max", [distance, number(0)])
      } else {
        part = add("Clip", [distance, number(0), number(knots[index] - knots[start])])
      }
      terms.append(add("Mul", [part, number(slope)]))
    }
    return chain("Add", terms)
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
