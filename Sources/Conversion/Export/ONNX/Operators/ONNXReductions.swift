import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// One element of many.
enum ONNXReductions {
  static let rows: [ONNXRow] = [
    ONNXRow(Reduction.self) { (operation, draft) throws(WeighbridgeError) in
      guard !operation.axes.isEmpty else {
        throw WeighbridgeError(.unsupported, "ONNX reduces along one axis at least")
      }
      return draft.reduction(operation)
    },
    ONNXRow(Cumulative.self) { (operation, draft) throws(WeighbridgeError) in
      guard operation.function == .sum else { return try draft.cumulativeProduct(operation) }
      return draft.add(
        "CumSum", [draft.input(), draft.number(Double(operation.axis), .int64)],
        [
          "exclusive": .integer(operation.isExclusive ? 1 : 0),
          "reverse": .integer(operation.isReversed ? 1 : 0),
        ])
    },
  ]
}

extension ONNXDraft {
  /// The products over all elements that count for each place, the others being 1.
  fileprivate mutating func cumulativeProduct(
    _ operation: Cumulative
  ) throws(WeighbridgeError) -> String {
    let (axis, rank) = (operation.axis, type().rank)
    guard let count = type().shape[axis].value else {
      throw WeighbridgeError(
        .unsupported, "ONNX has cumulative sums only, and a product takes a known extent")
    }
    var truths: [Double] = []
    for place in 0..<count {
      for element in 0..<count {
        let isBefore = operation.isReversed ? element > place : element < place
        truths.append(isBefore || (element == place && !operation.isExclusive) ? 1 : 0)
      }
    }
    let shape = [count, count] + [Int](repeating: 1, count: rank - 1 - axis)
    let counted = choose(
      numbers(truths, shape: shape, .bool), unsqueeze(input(), [axis]), number(1))
    return reduce("ReduceProd", counted, [axis + 1], keeps: false)
  }

  fileprivate mutating func reduction(_ operation: Reduction) -> String {
    let (x, axes, keeps) = (input(), operation.axes, operation.keepsAxes)
    switch operation.function {
    case .sum: return reduce("ReduceSum", x, axes, keeps: keeps)
    case .mean: return reduce("ReduceMean", x, axes, keeps: keeps)
    case .product: return reduce("ReduceProd", x, axes, keeps: keeps)
    case .maximum: return reduce("ReduceMax", x, axes, keeps: keeps)
    case .minimum: return reduce("ReduceMin", x, axes, keeps: keeps)
    case .length: return reduce("ReduceL2", x, axes, keeps: keeps)
    case .any, .all:
      let name = operation.function == .any ? "ReduceMax" : "ReduceMin"
      return cast(reduce(name, cast(x, to: .int32), axes, keeps: keeps), to: .bool)
    case .variance, .standardDeviation:
      let distance = add("Sub", [x, reduce("ReduceMean", x, axes)])
      let square = add("Mul", [distance, distance])
      let variance = reduce("ReduceMean", square, axes, keeps: keeps)
      return operation.function == .variance ? variance : add("Sqrt", [variance])
    case .logarithmOfSum:
      let largest = reduce("ReduceMax", x, axes)
      let sum = reduce("ReduceSum", add("Exp", [add("Sub", [x, largest])]), axes)
      let result = add("Add", [add("Log", [sum]), largest])
      return keeps ? result : squeeze(result, axes)
    }
  }
}
