import Bytes
import GraphIR
import LayerCatalog

extension UnitNormalization {
  /// Keras: `UnitNormalization(axis=-1)`, where `axis` may be a list.
  static let keras = KerasMapping(layers: [
    "UnitNormalization": { (layer, inputs) throws(WeighbridgeError) in
      let type = layer.graph.type(of: try layer.onlyInput(inputs))
      return try layer.add(
        UnitNormalization(axes: try layer.axes("axis", of: type).sorted()), inputs)
    }
  ])
}
