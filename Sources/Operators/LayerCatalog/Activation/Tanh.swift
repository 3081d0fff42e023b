import Bytes
import GraphIR

/// The hyperbolic tangent.
///
/// Any shape; the output has the same shape.
package struct Tanh: ScalarOperator, PlainOperator, PrimitiveOperator {
  package static let kind = "tanh"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = tanh(x)",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension Tanh {
  package func apply(_ element: Double) -> Double {
    element.hyperbolicTangent
  }
}
