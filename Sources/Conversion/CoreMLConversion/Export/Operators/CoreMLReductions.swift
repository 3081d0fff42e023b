import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// One element of many.
enum CoreMLReductions {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Reduce.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.axes.isEmpty else {
        throw WeighbridgeError(.unsupported, "Core ML reduces along one axis at least")
      }
      return try builder.reduction(operation)
    },
    CoreMLRow(CumSum.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.add(
        "cumSum", [try builder.input()],
        [
          "axis": .integer(operation.axis), "excludeFinalSum": .boolean(operation.isExclusive),
          "reverse": .boolean(operation.isReversed),
        ])
    },
  ]
}

extension CoreMLNetworkBuilder {
  fileprivate mutating func reduction(
    _ operation: Reduce
  ) throws(WeighbridgeError) -> String {
    let (x, axes, keeps) = (try input(), operation.axes, operation.keepDims)
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
