import Bytes
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// One element of many.
enum CoreMLReductions {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Reduction.self) { (operation, draft) throws(WeighbridgeError) in
      guard !operation.axes.isEmpty else {
        throw WeighbridgeError(.unsupported, "Core ML reduces along one axis at least")
      }
      return try draft.reduction(operation)
    },
    CoreMLRow(Cumulative.self) { (operation, draft) throws(WeighbridgeError) in
      guard operation.function == .sum else { return try draft.cumulativeProduct(operation) }
      return try draft.add(
        "cumSum", [try draft.input()],
        [
          "axis": .integer(operation.axis), "excludeFinalSum": .boolean(operation.isExclusive),
          "reverse": .boolean(operation.isReversed),
        ])
    },
  ]
}

extension CoreMLDraft {
  /// The products over all elements that count for each place, the others being 1.
  fileprivate mutating func cumulativeProduct(
    _ operation: Cumulative
  ) throws(WeighbridgeError) -> String {
    let (axis, rank) = (operation.axis, type().rank)
    let count = try extents(type())[axis]
    var truths: [Double] = []
    for place in 0..<count {
      for element in 0..<count {
        let isBefore = operation.isReversed ? element > place : element < place
        truths.append(isBefore || (element == place && !operation.isExclusive) ? 1 : 0)
      }
    }
    let shape =
      [Int](repeating: 1, count: axis) + [count, count]
      + [Int](repeating: 1, count: rank - 1 - axis)
    guard shape.count <= 5 else {
      throw WeighbridgeError(.unsupported, "Core ML has five axes at most")
    }
    let counted = try choose(
      try numbers(truths, shape: shape), try expandDims(try input(), [axis]), try number(1))
    return try reduce("reduceProd", counted, [axis + 1], keeps: false)
  }

  fileprivate mutating func reduction(
    _ operation: Reduction
  ) throws(WeighbridgeError) -> String {
    let (x, axes, keeps) = (try input(), operation.axes, operation.keepsAxes)
    switch operation.function {
    case .sum: return try reduce("reduceSum", x, axes, keeps: keeps)
    case .mean: return try reduce("reduceMean", x, axes, keeps: keeps)
    case .product: return try reduce("reduceProd", x, axes, keeps: keeps)
    case .maximum, .any: return try reduce("reduceMax", x, axes, keeps: keeps)
    case .minimum, .all: return try reduce("reduceMin", x, axes, keeps: keeps)
    case .length: return try reduce("reduceL2", x, axes, keeps: keeps)
    case .variance: return try variance(x, axes, keeps: keeps).variance
    case .standardDeviation:
      return try squareRoot(try variance(x, axes, keeps: keeps).variance)
    case .logarithmOfSum:
      let largest = try reduce("reduceMax", x, axes)
      let powers = try exponential(try difference(x, largest))
      let total = try unary("LOG", try reduce("reduceSum", powers, axes))
      let result = try sum(total, largest)
      return keeps ? result : try squeeze(result, axes)
    }
  }

  /// The distance of each element from the mean along axes, and the mean of its square.
  mutating func variance(
    _ input: String, _ axes: [Int], keeps: Bool = true
  ) throws(WeighbridgeError) -> (distance: String, variance: String) {
    let distance = try difference(input, try reduce("reduceMean", input, axes))
    let square = try product(distance, distance)
    return (distance, try reduce("reduceMean", square, axes, keeps: keeps))
  }
}
