import Bytes
import GraphIR
import LayerCatalog

extension Tanh {
  /// Keras: the function `tanh`.
  static let keras = KerasMapping(activations: ["tanh": { _, _ in Tanh() }])
}
