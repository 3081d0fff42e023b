import Bytes
import GraphIR
import LayerCatalog

extension SELU {
  /// Keras: the function `selu`.
  static let keras = KerasMapping(activations: ["selu": { _, _ in SELU() }])
}
