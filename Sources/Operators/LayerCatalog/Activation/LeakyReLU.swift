package import Bytes
package import GraphIR

/// The leaky rectifier: x where x > 0, and negative_slope · x elsewhere (Maas et al. 2013).
///
/// Any shape in, the same out.
package struct LeakyReLU: ElementwiseOperator {
  /// The factor for negative elements.
  package let slope: Double

  package static let kind = "leaky_relu"
  package static let version = 1

  package var attributes: Attributes { ["negative_slope": .real(slope)] }

  package static var definition: OperatorDefinition {
    .elementwise(
      "y = x if x > 0, else negative_slope * x",
      .real("negative_slope", "The factor of elements that are not above 0."))
  }

  /// Makes the operator.
  package init(slope: Double) { self.slope = slope }
}

extension LeakyReLU {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    slope = try attributes.real("negative_slope")
  }

  package func apply(_ element: Double) -> Double { element > 0 ? element : slope * element }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      try make(ReLU(slope: slope, threshold: 0, maximum: nil), make.inputs[0])
    }
  }
}
