import Bytes
import GraphIR
import LayerCatalog

extension Exponential {
  /// Keras: the function `exponential`.
  static let keras = KerasMapping(activations: ["exponential": { _, _ in Exponential() }])
}
