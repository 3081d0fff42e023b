import Bytes
import GraphIR
import LayerCatalog

extension Clip {
  /// Keras: the function `hard_tanh`, which clips to -1...1; the operation `clip`.
  static let keras = KerasMapping(activations: [
    "hard_tanh": { _, _ in Clip(minimum: -1, maximum: 1) }
  ])
}
