import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// Functions of single elements, and of the elements along axes.
enum ONNXActivations {
  static let rows: [ONNXRow] =
    smooth + bent + gated + [
      ONNXRow(Softmax.self) { (operation, draft) throws(WeighbridgeError) in
        draft.softmax(draft.input(), operation.axes)
      },
      ONNXRow(LogSoftmax.self) { (operation, draft) throws(WeighbridgeError) in
        draft.logSoftmax(operation.axes)
      },
      ONNXRow(GroupedSoftmax.self) { (operation, draft) throws(WeighbridgeError) in
        let parts = draft.split(operation.axis, operation.sizes)
        let shares = parts.map { draft.softmax($0, [operation.axis]) }
        return draft.concatenate(shares, axis: operation.axis)
      },
      ONNXRow(Sparsemax.self) { (operation, draft) throws(WeighbridgeError) in
        try draft.sparsemax(operation.axes)
      },
    ]

  private static let smooth: [ONNXRow] = [
    ONNXRow(Exponential.self, is: "Exp"),
    ONNXRow(Sigmoid.self, is: "Sigmoid"),
    ONNXRow(Softplus.self, is: "Softplus"),
    ONNXRow(Softsign.self, is: "Softsign"),
    ONNXRow(Tanh.self, is: "Tanh"),
    ONNXRow(CELU.self) { (operation, draft) throws(WeighbridgeError) in
      let (x, alpha) = (draft.input(), draft.number(operation.alpha))
      let power = draft.add("Exp", [draft.add("Div", [x, alpha])])
      let low = draft.add("Mul", [alpha, draft.add("Sub", [power, draft.number(1)])])
      return draft.choose(draft.add("Greater", [x, draft.number(0)]), x, low)
    },
    ONNXRow(ELU.self) { (operation, draft) throws(WeighbridgeError) in
      draft.add("Elu", [draft.input()], ["alpha": .real(operation.alpha)])
    },
    ONNXRow(SELU.self) { (_, draft) throws(WeighbridgeError) in
      draft.add(
        "Selu", [draft.input()], ["alpha": .real(SELU.alpha), "gamma": .real(SELU.scale)])
    },
    ONNXRow(GELU.self) { (operation, draft) throws(WeighbridgeError) in
      draft.gelu(isApproximate: operation.isApproximate)
    },
    ONNXRow(LogSigmoid.self) { (_, draft) throws(WeighbridgeError) in
      draft.add("Neg", [draft.add("Softplus", [draft.add("Neg", [draft.input()])])])
    },
    ONNXRow(Squareplus.self) { (operation, draft) throws(WeighbridgeError) in
      let x = draft.input()
      let square = draft.add("Mul", [x, x])
      let root = draft.add(
        "Sqrt", [draft.add("Add", [square, draft.number(operation.smoothness)])])
      return draft.add("Mul", [draft.add("Add", [x, root]), draft.number(0.5)])
    },
  ]

  private static let bent: [ONNXRow] = [
    ONNXRow(ReLU.self) { (operation, draft) throws(WeighbridgeError) in draft.relu(operation) },
    ONNXRow(LeakyReLU.self) { (operation, draft) throws(WeighbridgeError) in
      draft.add("LeakyRelu", [draft.input()], ["alpha": .real(operation.slope)])
    },
    ONNXRow(PReLU.self, is: "PRelu"),
    ONNXRow(Binarization.self) { (_, draft) throws(WeighbridgeError) in
      let isPositive = draft.add("Greater", [draft.input(), draft.number(0)])
      return draft.choose(isPositive, draft.number(1), draft.number(-1))
    },
    ONNXRow(HardMish.self) { (_, draft) throws(WeighbridgeError) in
      let x = draft.input()
      let half = draft.add("Mul", [x, draft.number(0.5)])
      let curve = draft.add("Add", [draft.add("Mul", [half, x]), x])
      let zero = draft.number(0)
      let low = draft.choose(draft.add("Greater", [x, draft.number(-2)]), curve, zero)
      return draft.choose(draft.add("Greater", [x, zero]), x, low)
    },
    ONNXRow(HardShrink.self) { (operation, draft) throws(WeighbridgeError) in
      draft.add("Shrink", [draft.input()], ["lambd": .real(operation.threshold)])
    },
    ONNXRow(SoftShrink.self) { (operation, draft) throws(WeighbridgeError) in
      let threshold = ONNXAttribute.real(operation.threshold)
      return draft.add("Shrink", [draft.input()], ["bias": threshold, "lambd": threshold])
    },
    ONNXRow(HardSigmoid.self) { (operation, draft) throws(WeighbridgeError) in
      draft.add(
        "HardSigmoid", [draft.input()],
        ["alpha": .real(operation.slope), "beta": .real(operation.offset)])
    },
    ONNXRow(PiecewiseLinear.self) { (operation, draft) throws(WeighbridgeError) in
      draft.piecewiseLinear(operation)
    },
    ONNXRow(SparsePlus.self) { (_, draft) throws(WeighbridgeError) in
      let (x, one) = (draft.input(), draft.number(1))
      let sum = draft.add("Add", [x, one])
      let curve = draft.add("Mul", [draft.add("Mul", [sum, sum]), draft.number(0.25)])
      let isLow = draft.add("LessOrEqual", [x, draft.number(-1)])
      let low = draft.choose(isLow, draft.number(0), curve)
      return draft.choose(draft.add("GreaterOrEqual", [x, one]), x, low)
    },
    ONNXRow(Stair.self) { (_, draft) throws(WeighbridgeError) in
      let x = draft.input()
      let floor = draft.add("Floor", [x])
      let half = draft.add("Floor", [draft.add("Mul", [x, draft.number(0.5)])])
      let even = draft.add("Add", [half, half])
      let ramp = draft.add("Add", [draft.add("Sub", [x, floor]), half])
      return draft.choose(draft.add("Equal", [floor, even]), half, ramp)
    },
    ONNXRow(Threshold.self) { (operation, draft) throws(WeighbridgeError) in
      let isAbove = draft.add("Greater", [draft.input(), draft.number(operation.threshold)])
      return draft.choose(isAbove, draft.input(), draft.number(operation.replacement))
    },
  ]

  private static let gated: [ONNXRow] = [
    ONNXRow(GLU.self) { (operation, draft) throws(WeighbridgeError) in
      let extent = draft.type().shape[operation.axis].value
      guard let extent else {
        throw WeighbridgeError(.unsupported, "ONNX wants the extent that is split known")
      }
      let halves = draft.split(operation.axis, [extent / 2, extent / 2])
      return draft.add("Mul", [halves[0], draft.add("Sigmoid", [halves[1]])])
    }
  ]
}

extension ONNXDraft {
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
    guard axes.count == 1, let extent = type().shape[axes[0]].value else {
      throw WeighbridgeError(
        .unsupported, "ONNX sorts along one axis of known extent, and this is \(axes)")
    }
    let (x, axis) = (input(), axes[0])
    let sorted = add(
      "TopK", [x, integers([extent])], ["axis": .integer(axis)], outputCount: 2)[0]
    let sums = add("CumSum", [sorted, number(Double(axis), .int64)])
    var shape = [Int](repeating: 1, count: type().rank)
    shape[axis] = extent
    let places = numbers((1...max(1, extent)).map(Double.init), shape: shape)
    let bound = add("Add", [add("Mul", [places, sorted]), number(1)])
    let isInside = add("Greater", [bound, sums])
    let count = reduce("ReduceSum", cast(isInside, to: elementType), axes)
    let total = reduce("ReduceSum", choose(isInside, sums, number(0)), axes)
    let threshold = add("Div", [add("Sub", [total, number(1)]), count])
    return add("Max", [add("Sub", [x, threshold]), number(0)])
  }
}
