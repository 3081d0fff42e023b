import Bytes
import GraphIR
import LayerCatalog

extension GELU {
  /// Keras: the function `gelu`, which is the exact one when it is given by name.
  static let keras = KerasMapping(activations: ["gelu": { _, _ in GELU(isApproximate: false) }])
}
