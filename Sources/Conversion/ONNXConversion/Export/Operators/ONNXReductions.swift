import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// One element of many.
enum ONNXReductions {
  static let rows: [ONNXRow] = [
    ONNXRow(native: Reduce.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.axes.isEmpty else {
        throw WeighbridgeError(.unsupported, "ONNX reduces along one axis at least")
      }
      return builder.reduction(operation)
    },
    ONNXRow(CumSum.self) { (operation, builder) throws(WeighbridgeError) in
      builder.add(
        "CumSum", [builder.input(), builder.number(Double(operation.axis), .int64)],
        [
          "exclusive": .integer(operation.isExclusive ? 1 : 0),
          "reverse": .integer(operation.isReversed ? 1 : 0),
        ])
    },
  ]
}

extension ONNXGraphBuilder {
  fileprivate mutating func reduction(_ operation: Reduce) -> String? {
    let (x, axes, keeps) = (input(), operation.axes, operation.keepDims)
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
    case .variance, .standardDeviation, .logarithmOfSum: return nil
    }
  }
}
