import Bytes
import GraphIR
import LayerCatalog

extension Rescaling: KerasMapped {
  /// Keras: `Rescaling`.
  static let keras = KerasMapping([
    KerasLayerClass("Rescaling", masks: .passedSinceKeras3, casts: .all, shape: .same) {
      (layer, inputs) throws(WeighbridgeError) in
      let scale = try layer.realList("scale")
      let offset = try layer.realList("offset", default: [0])
      if scale.isEmpty || offset.isEmpty {
        throw WeighbridgeError(.malformed, "scale or offset is an empty list")
      }
      return try layer.add(Rescaling(scale: scale, offset: offset), inputs)
    }
  ])
}
