import Bytes
import GraphIR
import LayerCatalog

extension Add {
  /// Keras: `Add`.
  static let keras = KerasMapping(layers: [
    "Add": { (layer, inputs) throws(WeighbridgeError) in
      try layer.addMerging(Add(), inputs)
    }
  ])
}
