import Bytes
import GraphIR
import LayerCatalog

extension Mish {
  /// Keras: the function `mish`.
  static let keras = KerasMapping(activations: ["mish": { _, _ in Mish() }])
}
