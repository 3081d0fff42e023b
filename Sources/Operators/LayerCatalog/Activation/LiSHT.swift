package import Bytes
package import GraphIR

/// x · tanh(x), the linearly scaled hyperbolic tangent (Roy et al. 2019).
///
/// Any shape; the output has the same shape.
package struct LiSHT: ElementwiseOperator, FormulaOperator, PlainOperator {
  package static let kind = "lisht"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x * tanh(x)",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension LiSHT {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    return try make.product(x, try make(Tanh(), x))
  }
}
