import Bytes
import GraphIR
import LayerCatalog

extension AdaptiveMaxPooling {
  /// Keras 3: `AdaptiveMaxPooling1D`, `AdaptiveMaxPooling2D`, `AdaptiveMaxPooling3D`.
  static let keras = KerasMapping(layers: [
    "AdaptiveMaxPooling1D": builder(axes: 1),
    "AdaptiveMaxPooling2D": builder(axes: 2),
    "AdaptiveMaxPooling3D": builder(axes: 3),
  ])
}
