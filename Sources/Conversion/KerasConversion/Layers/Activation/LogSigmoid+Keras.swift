import Bytes
import GraphIR
import LayerCatalog

extension LogSigmoid {
  /// Keras: the function `log_sigmoid`.
  static let keras = KerasMapping(activations: [
    "log_sigmoid": { _, _ in LogSigmoid() }
  ])
}
