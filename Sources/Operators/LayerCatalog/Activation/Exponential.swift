import Bytes
import GraphIR

/// The exponential function e^x.
///
/// Any shape; the output has the same shape.
package struct Exponential: ScalarOperator, PlainOperator, PrimitiveOperator {
  package static let kind = "exponential"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = exp(x)",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension Exponential {
  package func apply(_ element: Double) -> Double {
    element.exponential
  }
}
