package import Bytes
package import GraphIR

/// The exponential linear unit: x where x > 0, and alpha · (e^x - 1) elsewhere
/// (Clevert et al. 2015).
///
/// Any shape; the output has the same shape.
package struct ELU: ElementwiseOperator, FormulaOperator {
  /// Minus the limit of the output for x towards -∞.
  package let alpha: Double

  package static let kind = "elu"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x if x > 0, else alpha * (exp(x) - 1)",
    of: .float,
    attributes: AttributeSchema(
      Self.init(alpha:),
      .real("alpha", \.alpha, "The negative of the limit of y as x approaches -infinity.")))

  /// Creates the operator.
  package init(alpha: Double) { self.alpha = alpha }
}

extension ELU {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let negative = try make(UnaryMath(.exponentialMinusOne), x)
    return try make.chosen(
      try make.isGreater(x, 0), x, try make.linear(negative, scale: alpha))
  }
}
