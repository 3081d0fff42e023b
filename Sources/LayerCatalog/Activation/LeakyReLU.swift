package import Bytes
package import GraphIR
import KerasFormat

/// The leaky rectifier: x where x > 0, and slope · x elsewhere (Maas et al. 2013).
///
/// Any shape in, the same out.
package struct LeakyReLU: ElementwiseOperator {
  /// The factor for negative elements.
  package let slope: Double

  package static let kind = "leaky_relu"
  package static let version = 1

  package var attributes: Attributes { ["negative_slope": .real(slope)] }

  /// Makes the operator.
  package init(slope: Double) { self.slope = slope }
}

extension LeakyReLU {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    slope = try attributes.real("negative_slope")
  }

  package func apply(_ element: Double) -> Double { element > 0 ? element : slope * element }

  package var decomposition: Decomposition { .primitive }

  /// Keras: `LeakyReLU(alpha=0.3)`, in Keras 3 `LeakyReLU(negative_slope=0.3)`; the function `leaky_relu` with its slope of 0.2.
  package static let keras = SourceMapping.mapped(
    KerasMapping(
      layers: [
        "LeakyReLU": { (layer, inputs) throws(WeighbridgeError) in
          let key = layer.version.major < 3 ? "alpha" : "negative_slope"
          let slope = try layer.real(key, default: 0.3)
          return try layer.add(LeakyReLU(slope: slope), inputs)
        }
      ],
      activations: ["leaky_relu": { _, _ in LeakyReLU(slope: 0.2) }]))
}
