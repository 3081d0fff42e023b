package import Bytes
package import GraphIR

/// x / (1 + |x|) (Turian et al. 2009). For an infinity the output is NaN, as in TensorFlow.
///
/// Any shape; the output has the same shape.
package struct Softsign: ElementwiseOperator, FormulaOperator, PlainOperator {
  package static let kind = "softsign"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x / (1 + |x|)",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension Softsign {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    return try make.quotient(x, try make.offset(try make(UnaryMath(.absolute), x), by: 1))
  }
}
