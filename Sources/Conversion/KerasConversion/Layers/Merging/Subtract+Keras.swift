import Bytes
import GraphIR
import LayerCatalog

extension Subtract {
  /// Keras: `Subtract`.
  static let keras = KerasMapping(layers: [
    "Subtract": { (layer, inputs) throws(WeighbridgeError) in
      try layer.addMerging(Subtract(), inputs)
    }
  ])
}
