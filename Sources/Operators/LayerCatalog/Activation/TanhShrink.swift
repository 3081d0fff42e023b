package import Bytes
package import GraphIR

/// x - tanh(x).
///
/// Any shape; the output has the same shape.
package struct TanhShrink: ElementwiseOperator, FormulaOperator, PlainOperator {
  package static let kind = "tanh_shrink"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x - tanh(x)",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension TanhShrink {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    return try make.difference(x, try make(Tanh(), x))
  }
}
