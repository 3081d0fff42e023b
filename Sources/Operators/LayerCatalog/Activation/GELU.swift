package import Bytes
package import GraphIR

/// The Gaussian error linear unit x · Φ(x), where Φ is the cumulative distribution function of the
/// normal distribution (Hendrycks and Gimpel 2016).
///
/// Any shape; the output has the same shape. The output for -∞ is NaN, as in TensorFlow. Version 2
/// rounds the approximation less often.
package struct GELU: ElementwiseOperator, FormulaOperator {
  /// Whether Φ is replaced by (1 + tanh(√(2/π) · (x + 0.044715 x³))) / 2.
  package let isApproximate: Bool

  package static let kind = "gelu"
  package static let version = 2
  package static let earliestVersion = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2 if approximate
    y = x * erfc(-x / sqrt(2)) / 2 otherwise
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(isApproximate:),
      .boolean("approximate", \.isApproximate, "Whether the approximation with tanh is used.")))

  /// Creates the operator.
  package init(isApproximate: Bool) { self.isApproximate = isApproximate }
}

extension GELU {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    guard isApproximate else {
      let scaled = try make.linear(x, scale: -(0.5.squareRoot()))
      let complement = try make(UnaryMath(.complementaryErrorFunction), scaled)
      return try make.linear(try make.product(x, complement), scale: 0.5)
    }
    let cube = try make.product(try make.product(x, x), x)
    let polynomial = try make.sum(x, try make.linear(cube, scale: 0.044715))
    // (1 + tanh(z)) / 2, without the loss of digits where tanh(z) is nearly -1.
    let share = try make(
      Sigmoid(), try make.linear(polynomial, scale: 2 * (2 / Double.pi).squareRoot()))
    return try make.product(x, share)
  }
}
