import Bytes
import GraphIR
import LayerCatalog

extension Softsign {
  /// Keras: the function `softsign`.
  static let keras = KerasMapping(activations: ["softsign": { _, _ in Softsign() }])
}
