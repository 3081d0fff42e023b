import Bytes
import GraphIR

/// The logistic function 1 / (1 + e^-x).
///
/// Any shape in, the same out.
package struct Sigmoid: ElementwiseOperator, PlainOperator {
  package static let kind = "sigmoid"
  package static let version = 1

  package static var definition: OperatorDefinition {
    .elementwise("y = 1 / (1 + exp(-x))")
  }

  /// Makes the operator.
  package init() {}
}

extension Sigmoid {
  package func apply(_ element: Double) -> Double {
    1 / (1 + (-element).exponential)
  }

  package var decomposition: Decomposition { .primitive }
}
