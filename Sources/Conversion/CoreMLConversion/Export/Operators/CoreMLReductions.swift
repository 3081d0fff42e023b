import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// One element of many.
enum CoreMLReductions {
  static let rows: [CoreMLRow] = [
    CoreMLRow(native: Reduce.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.axes.isEmpty else {
        throw WeighbridgeError(.unsupported, "Core ML reduces along one axis at least")
      }
      return try builder.reduction(operation)
    },
    CoreMLRow(CumSum.self, is: "cumSum") {
      [
        "axis": .integer($0.axis), "excludeFinalSum": .boolean($0.isExclusive),
        "reverse": .boolean($0.isReversed),
      ]
    },
  ]
}

extension CoreMLNetworkBuilder {
  fileprivate mutating func reduction(
    _ operation: Reduce
  ) throws(WeighbridgeError) -> String? {
    let (x, axes, keeps) = (try input(), operation.axes, operation.keepDims)
    switch operation.function {
    case .sum: return try reduce("reduceSum", x, axes, keeps: keeps)
    case .mean: return try reduce("reduceMean", x, axes, keeps: keeps)
    case .product: return try reduce("reduceProd", x, axes, keeps: keeps)
    case .maximum, .any: return try reduce("reduceMax", x, axes, keeps: keeps)
    case .minimum, .all: return try reduce("reduceMin", x, axes, keeps: keeps)
    case .length: return try reduce("reduceL2", x, axes, keeps: keeps)
    case .variance, .standardDeviation, .logarithmOfSum: return nil
    }
  }
}
