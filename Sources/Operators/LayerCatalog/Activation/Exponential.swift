import Bytes
import GraphIR

/// The exponential function e^x.
///
/// Any shape in, the same out.
package struct Exponential: ElementwiseOperator, PlainOperator {
  package static let kind = "exponential"
  package static let version = 1

  package static var definition: OperatorDefinition {
    .elementwise("y = exp(x)")
  }

  /// Makes the operator.
  package init() {}
}

extension Exponential {
  package func apply(_ element: Double) -> Double {
    element.exponential
  }

  package var decomposition: Decomposition { .primitive }
}
