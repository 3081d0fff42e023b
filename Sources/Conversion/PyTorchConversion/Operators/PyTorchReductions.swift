import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Reductions, cumulative sums, and the positions of extremes.
enum PyTorchReductions {
  static let rows: [PyTorchRow] = [
    PyTorchRow(expression: Reduce.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.reduced(operation)
    },
    PyTorchRow(expression: CumSum.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.accumulated("sum", operation.axis, operation.isExclusive, operation.isReversed)
    },
    PyTorchRow(expression: CumProd.self) { (operation, builder) throws(WeighbridgeError) in
      operation.isExclusive
        ? nil : try builder.accumulated("prod", operation.axis, false, operation.isReversed)
    },
    PyTorchRow(expression: ArgMax.self) { $1.argument("argmax", $0) },
    PyTorchRow(expression: ArgMin.self) { $1.argument("argmin", $0) },
  ]
}

extension PyTorchBuilder {
  fileprivate func argument(
    _ function: String, _ operation: some ArgumentReduction
  ) -> PythonExpression {
    let keeps = operation.keepDims ? ", keepdim=True" : ""
    let index: PythonExpression = "torch.\(function)(\(self[0]), dim=\(operation.axis)\(keeps))"
    return operation.elementType == .int64
      ? index : "\(index).to(\(typeName(operation.elementType)))"
  }

  /// The argument that keeps the type of integers, which PyTorch would widen.
  private var typeArgument: String {
    type().elementType.isInteger ? ", dtype=\(typeName(type().elementType))" : ""
  }

  fileprivate func reduced(_ operation: Reduce) throws(WeighbridgeError) -> PythonExpression {
    let axes = operation.axes.map(String.init).joined(separator: ", ")
    let arguments = "[\(axes)]" + (operation.keepDims ? ", keepdim=True" : "")
    if operation.axes.isEmpty {
      guard [.sum, .mean, .product, .maximum, .minimum, .any, .all].contains(operation.function)
      else { throw .unsupported("reduces no axis, which PyTorch takes for all") }
      return "\(self[0])"
    }
    switch operation.function {
    case .sum: return "\(self[0]).sum(\(arguments)\(typeArgument))"
    case .mean: return "\(self[0]).mean(\(arguments))"
    case .maximum: return "\(self[0]).amax(\(arguments))"
    case .minimum: return "\(self[0]).amin(\(arguments))"
    case .variance: return "\(self[0]).var(\(arguments), correction=0)"
    case .standardDeviation: return "\(self[0]).std(\(arguments), correction=0)"
    case .logSumExp: return "torch.logsumexp(\(self[0]), \(arguments))"
    case .l2Norm: return "torch.linalg.vector_norm(\(self[0]), dim=\(arguments))"
    case .product: return chained("prod", operation, typeArgument)
    case .any: return chained("any", operation)
    case .all: return chained("all", operation)
    }
  }

  /// A reduction that PyTorch has for one axis at a time.
  private func chained(
    _ function: String, _ operation: Reduce, _ type: String = ""
  ) -> PythonExpression {
    var result: PythonExpression = "\(self[0])"
    for axis in operation.axes.sorted(by: >) {
      let keeps = operation.keepDims ? ", keepdim=True" : ""
      result = "\(result).\(function)(\(axis)\(keeps)\(type))"
    }
    return result
  }

  fileprivate func accumulated(
    _ function: String, _ axis: Int, _ isExclusive: Bool, _ isReversed: Bool
  ) throws(WeighbridgeError) -> PythonExpression {
    var x: PythonExpression = isReversed ? "\(self[0]).flip(\(axis))" : "\(self[0])"
    if isExclusive {
      let colons = String(repeating: ":, ", count: axis)
      let behind = type().rank - 1 - axis
      let borders = [Int](repeating: 0, count: 2 * behind) + [1, 0]
      x = "F.pad(\(x)[\(colons):-1], [\(borders)])"
    }
    let result: PythonExpression = "torch.cum\(function)(\(x), \(axis)\(typeArgument))"
    return isReversed ? "\(result).flip(\(axis))" : result
  }
}
