import Bytes
import GraphIR
import LayerCatalog

extension Minimum {
  /// Keras: `Minimum`, which from 3.4 on leaves out the steps that a mask leaves out.
  static let keras = KerasMapping(layers: [
    "Minimum": { (layer, inputs) throws(WeighbridgeError) in
      try layer.addExtreme(Minimum(), inputs)
    }
  ])
}
