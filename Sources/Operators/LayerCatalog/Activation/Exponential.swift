import Bytes
import GraphIR

/// The exponential function e^x.
///
/// Any shape in, the same out.
package struct Exponential: ElementwiseOperator, PlainOperator, PrimitiveOperator {
  package static let kind = "exponential"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = exp(x)",
    of: .float)

  /// Makes the operator.
  package init() {}
}

extension Exponential {
  package func apply(_ element: Double) -> Double {
    element.exponential
  }
}
