import Bytes
import GraphIR

/// The Gaussian error linear unit x · Φ(x), where Φ is the cumulative distribution function of the
/// normal distribution (Hendrycks and Gimpel 2016).
///
/// Any shape in, the same out. It is NaN for -∞, as in TensorFlow.
package struct GELU: ElementwiseOperator {
  /// Whether Φ is replaced by (1 + tanh(√(2/π) · (x + 0.044715 x³))) / 2.
  package let isApproximate: Bool

  package static let kind = "gelu"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2 if approximate
    y = x * erfc(-x / sqrt(2)) / 2 otherwise
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(isApproximate:),
      .boolean("approximate", \.isApproximate, "Whether the tangent form is computed.")))

  /// Makes the operator.
  package init(isApproximate: Bool) { self.isApproximate = isApproximate }
}

extension GELU {
  package func apply(_ element: Double) -> Double {
    guard isApproximate else {
      return element * (-element / 2.0.squareRoot()).complementaryErrorFunction / 2
    }
    let cubic = element + 0.044715 * element * element * element
    return element * (1 + ((2 / Double.pi).squareRoot() * cubic).hyperbolicTangent) / 2
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let x = make.inputs[0]
      guard isApproximate else {
        let share = try make.linear(x, scale: -(0.5.squareRoot()))
        let tail = try make(UnaryMath(.complementaryErrorFunction), share)
        return try make.linear(try make.product(x, tail), scale: 0.5)
      }
      let cube = try make.product(try make.product(x, x), x)
      let cubic = try make.sum(x, try make.linear(cube, scale: 0.044715))
      let bent = try make(Tanh(), try make.linear(cubic, scale: (2 / Double.pi).squareRoot()))
      return try make.product(x, try make.linear(bent, scale: 0.5, offset: 0.5))
    }
  }
}
