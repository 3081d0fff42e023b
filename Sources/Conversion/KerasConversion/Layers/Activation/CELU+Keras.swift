import Bytes
import GraphIR
import LayerCatalog

extension CELU {
  /// Keras: the function `celu`, with alpha = 1.
  static let keras = KerasMapping(activations: [
    "celu": { _, _ in CELU(alpha: 1) }
  ])
}
