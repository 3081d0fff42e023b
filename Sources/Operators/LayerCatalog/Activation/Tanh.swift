import Bytes
import GraphIR

/// The hyperbolic tangent.
///
/// Any shape in, the same out.
package struct Tanh: ElementwiseOperator, PlainOperator {
  package static let kind = "tanh"
  package static let version = 1

  package static var definition: OperatorDefinition {
    .elementwise("y = tanh(x)")
  }

  /// Makes the operator.
  package init() {}
}

extension Tanh {
  package func apply(_ element: Double) -> Double {
    element.hyperbolicTangent
  }

  package var decomposition: Decomposition { .primitive }
}
