import Bytes
import GraphIR
import LayerCatalog

extension ELU {
  /// Keras: `ELU(alpha=1)`, the function `elu`.
  static let keras = KerasMapping(
    layers: [
      "ELU": { (layer, inputs) throws(WeighbridgeError) in
        let alpha = try layer.real("alpha", default: 1)
        return try layer.add(ELU(alpha: alpha), inputs)
      }
    ],
    activations: ["elu": { _, _ in ELU(alpha: 1) }])
}
