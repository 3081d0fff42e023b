import Bytes
import GraphIR
import LayerCatalog

extension Maximum {
  /// Keras: `Maximum`, which from 3.4 on leaves out the steps that a mask leaves out.
  static let keras = KerasMapping(layers: [
    "Maximum": { (layer, inputs) throws(WeighbridgeError) in
      try layer.addExtreme(Maximum(), inputs)
    }
  ])
}
