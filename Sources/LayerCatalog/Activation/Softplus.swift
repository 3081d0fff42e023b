package import Bytes
package import GraphIR

/// The smooth rectifier log(1 + e^x) (Dugas et al. 2001).
///
/// Any shape in, the same out.
package struct Softplus: ElementwiseOperator {
  package static let kind = "softplus"
  package static let version = 1

  package var attributes: Attributes { [:] }

  /// Makes the operator.
  package init() {}
}

extension Softplus {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) { self.init() }

  package func apply(_ element: Double) -> Double {
    // The same without e^x of a large x; a NaN comes through the logarithm.
    max(element, 0) + (-abs(element)).exponential.logarithmOfOnePlus
  }

  package var decomposition: Decomposition { .primitive }

  /// Keras: the function `softplus`; of Keras 1 `ParametricSoftplus`.
  package static let keras = SourceMapping.mapped(
    KerasMapping(
      layers: ["ParametricSoftplus (Keras 1)": Keras1Activations.parametricSoftplus],
      activations: ["softplus": { _, _ in Softplus() }]))
}
