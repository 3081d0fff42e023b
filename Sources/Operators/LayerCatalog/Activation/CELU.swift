package import Bytes
package import GraphIR

/// The continuously differentiable exponential linear unit: x where x > 0, and
/// alpha · (e^(x / alpha) - 1) elsewhere (Barron 2017).
///
/// Any shape; the output has the same shape.
package struct CELU: ElementwiseOperator, FormulaOperator {
  /// Minus the limit of the output for x towards -∞; not 0.
  package let alpha: Double

  package static let kind = "celu"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x if x > 0, else alpha * (exp(x / alpha) - 1)",
    of: .float,
    attributes: AttributeSchema(
      Self.init(alpha:),
      .real(
        "alpha", \.alpha,
        "The scale of elements up to 0; if positive, y approaches -alpha as x approaches -infinity.",
        .notZero)
    ))

  /// Creates the operator.
  package init(alpha: Double) { self.alpha = alpha }
}

extension CELU {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    if alpha > 0 {
      // Only numbers up to 0 are divided, so that large ones stay finite.
      let negative = try make.linear(try make.clipped(x, -.infinity, 0), scale: 1 / alpha)
      let bent = try make.linear(try make(ELU(alpha: 1), negative), scale: alpha)
      return try make.sum(try make.positivePart(x), bent)
    }
    let ratio = try make.quotient(x, try make.number(alpha, like: x))
    let negative = try make(UnaryMath(.exponentialMinusOne), ratio)
    return try make.chosen(
      try make.isGreater(x, 0), x, try make.linear(negative, scale: alpha))
  }
}
