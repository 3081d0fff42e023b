import Bytes
import GraphIR
import LayerCatalog

extension Softplus {
  /// Keras: the function `softplus`; of Keras 1 `ParametricSoftplus`.
  static let keras = KerasMapping(
    layers: ["ParametricSoftplus (Keras 1)": Keras1Activations.parametricSoftplus],
    activations: ["softplus": { _, _ in Softplus() }])
}
