import Bytes
import GraphIR
import LayerCatalog

extension Swish {
  /// Keras: the functions `swish` and `silu`.
  static let keras = KerasMapping(activations: [
    "swish": { _, _ in Swish() },
    "silu": { _, _ in Swish() },
  ])
}
