package import Bytes
package import GraphIR

/// The logistic function 1 / (1 + e^-x).
///
/// Any shape in, the same out.
package struct Sigmoid: ElementwiseOperator {
  package static let kind = "sigmoid"
  package static let version = 1

  package var attributes: Attributes { [:] }

  package static var definition: OperatorDefinition {
    .elementwise("y = 1 / (1 + exp(-x))")
  }

  /// Makes the operator.
  package init() {}
}

extension Sigmoid {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) { self.init() }

  package func apply(_ element: Double) -> Double {
    1 / (1 + (-element).exponential)
  }

  package var decomposition: Decomposition { .primitive }
}
