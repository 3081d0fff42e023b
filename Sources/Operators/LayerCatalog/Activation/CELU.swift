import Bytes
import GraphIR

/// The continuously differentiable exponential linear unit: x where x > 0, and
/// alpha · (e^(x / alpha) - 1) elsewhere (Barron 2017).
///
/// Any shape in, the same out.
package struct CELU: ElementwiseOperator {
  /// The negated limit for x towards -∞; not 0.
  package let alpha: Double

  package static let kind = "celu"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x if x > 0, else alpha * (exp(x / alpha) - 1)",
    of: .float,
    attributes: AttributeSchema(
      Self.init(alpha:),
      .real("alpha", \.alpha, "Minus the value that y approaches for ever smaller x.", .notZero)))

  /// Makes the operator.
  package init(alpha: Double) { self.alpha = alpha }
}

extension CELU {
  package func apply(_ element: Double) -> Double {
    element > 0 ? element : alpha * (element / alpha).exponentialMinusOne
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let x = make.inputs[0]
      let share = try make.quotient(x, try make.number(alpha, like: x))
      let low = try make(UnaryMath(.exponentialMinusOne), share)
      return try make.chosen(try make.isGreater(x, 0), x, try make.linear(low, scale: alpha))
    }
  }
}
