import Bytes
import GraphIR
import LayerCatalog

extension HardShrink {
  /// Keras: the function `hard_shrink`, with threshold = 0.5.
  static let keras = KerasMapping(activations: [
    "hard_shrink": { _, _ in HardShrink(threshold: 0.5) }
  ])
}
