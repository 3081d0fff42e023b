import Bytes
import GraphIR
import LayerCatalog

extension Sigmoid {
  /// Keras: the function `sigmoid`.
  static let keras = KerasMapping(activations: ["sigmoid": { _, _ in Sigmoid() }])
}
