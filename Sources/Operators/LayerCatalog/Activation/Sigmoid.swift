import Bytes
import GraphIR

/// The logistic function 1 / (1 + e^-x).
///
/// Any shape; the output has the same shape.
package struct Sigmoid: ScalarOperator, PlainOperator, PrimitiveOperator {
  package static let kind = "sigmoid"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = 1 / (1 + exp(-x))",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension Sigmoid {
  package func apply(_ element: Double) -> Double {
    1 / (1 + (-element).exponential)
  }
}
