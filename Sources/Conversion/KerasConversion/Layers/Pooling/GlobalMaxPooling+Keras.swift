import Bytes
import GraphIR
import LayerCatalog

extension GlobalMaxPooling {
  /// Keras: `GlobalMaxPooling1D`, `GlobalMaxPooling2D`, `GlobalMaxPooling3D`.
  static let keras = KerasMapping(layers: [
    "GlobalMaxPooling1D": { (layer, inputs) throws(WeighbridgeError) in
      try add(&layer, inputs, axes: 1)
    },
    "GlobalMaxPooling2D": { (layer, inputs) throws(WeighbridgeError) in
      try add(&layer, inputs, axes: 2)
    },
    "GlobalMaxPooling3D": { (layer, inputs) throws(WeighbridgeError) in
      try add(&layer, inputs, axes: 3)
    },
  ])
}
