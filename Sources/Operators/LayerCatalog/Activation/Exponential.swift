package import Bytes
package import GraphIR

/// The exponential function e^x.
///
/// Any shape in, the same out.
package struct Exponential: ElementwiseOperator {
  package static let kind = "exponential"
  package static let version = 1

  package var attributes: Attributes { [:] }

  package static var definition: OperatorDefinition {
    .elementwise("y = exp(x)")
  }

  /// Makes the operator.
  package init() {}
}

extension Exponential {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) { self.init() }

  package func apply(_ element: Double) -> Double {
    element.exponential
  }

  package var decomposition: Decomposition { .primitive }
}
