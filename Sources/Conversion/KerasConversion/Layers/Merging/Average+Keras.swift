import Bytes
import GraphIR
import LayerCatalog

extension Average {
  /// Keras: `Average`.
  static let keras = KerasMapping(layers: [
    "Average": { (layer, inputs) throws(WeighbridgeError) in
      try layer.addMerging(Average(), inputs)
    }
  ])
}
