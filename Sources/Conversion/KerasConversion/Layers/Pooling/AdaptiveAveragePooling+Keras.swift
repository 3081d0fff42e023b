import Bytes
import GraphIR
import LayerCatalog

extension AdaptiveAveragePooling {
  /// Keras 3: `AdaptiveAveragePooling1D`, `AdaptiveAveragePooling2D`, `AdaptiveAveragePooling3D`.
  static let keras = KerasMapping(layers: [
    "AdaptiveAveragePooling1D": builder(axes: 1),
    "AdaptiveAveragePooling2D": builder(axes: 2),
    "AdaptiveAveragePooling3D": builder(axes: 3),
  ])
}
