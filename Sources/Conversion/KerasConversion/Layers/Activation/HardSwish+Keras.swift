import Bytes
import GraphIR
import LayerCatalog

extension HardSwish {
  /// Keras: the functions `hard_silu` and `hard_swish`.
  static let keras = KerasMapping(activations: [
    "hard_silu": { _, _ in HardSwish() },
    "hard_swish": { _, _ in HardSwish() },
  ])
}
