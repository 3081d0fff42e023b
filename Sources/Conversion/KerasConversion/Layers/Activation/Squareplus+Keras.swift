import Bytes
import GraphIR
import LayerCatalog

extension Squareplus {
  /// Keras: the function `squareplus`, with b = 4.
  static let keras = KerasMapping(activations: [
    "squareplus": { _, _ in Squareplus(smoothness: 4) }
  ])
}
