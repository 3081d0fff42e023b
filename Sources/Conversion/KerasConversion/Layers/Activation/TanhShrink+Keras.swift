import Bytes
import GraphIR
import LayerCatalog

extension TanhShrink {
  /// Keras: the function `tanh_shrink`.
  static let keras = KerasMapping(activations: [
    "tanh_shrink": { _, _ in TanhShrink() }
  ])
}
