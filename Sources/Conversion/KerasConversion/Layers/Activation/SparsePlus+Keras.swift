import Bytes
import GraphIR
import LayerCatalog

extension SparsePlus {
  /// Keras: the function `sparse_plus`.
  static let keras = KerasMapping(activations: [
    "sparse_plus": { _, _ in SparsePlus() }
  ])
}
