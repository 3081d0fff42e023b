package import Bytes
package import GraphIR

/// The scaled exponential linear unit scale · ELU(x), with the two constants that preserve mean 0
/// and variance 1 from layer to layer (Klambauer et al. 2017).
///
/// Any shape; the output has the same shape.
package struct SELU: ElementwiseOperator, FormulaOperator, PlainOperator {
  /// Minus the limit of the unscaled unit for x towards -∞ (the paper's equation 14).
  package static let alpha = 1.6732632423543772
  /// The scale (the paper's equation 14).
  package static let scale = 1.0507009873554805

  package static let kind = "selu"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = 1.0507009873554805 * x if x > 0
    y = 1.0507009873554805 * 1.6732632423543772 * (exp(x) - 1) otherwise
    """,
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension SELU {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    try make.linear(try make(ELU(alpha: Self.alpha), make.inputs[0]), scale: Self.scale)
  }
}
