import Bytes
import GraphIR
import LayerCatalog

extension SoftShrink {
  /// Keras: the function `soft_shrink`, with threshold = 0.5.
  static let keras = KerasMapping(activations: [
    "soft_shrink": { _, _ in SoftShrink(threshold: 0.5) }
  ])
}
