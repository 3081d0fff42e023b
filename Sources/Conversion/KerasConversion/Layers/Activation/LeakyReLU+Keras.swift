import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

extension LeakyReLU {
  /// Keras: `LeakyReLU(alpha=0.3)`, in Keras 3 `LeakyReLU(negative_slope=0.3)`; the function `leaky_relu` with its slope of 0.2.
  static let keras = KerasMapping(
    layers: [
      "LeakyReLU": { (layer, inputs) throws(WeighbridgeError) in
        let key = layer.version.major < 3 ? "alpha" : "negative_slope"
        let slope = try layer.real(key, default: 0.3)
        return try layer.add(LeakyReLU(slope: slope), inputs)
      }
    ],
    activations: ["leaky_relu": { _, _ in LeakyReLU(slope: 0.2) }])
}
