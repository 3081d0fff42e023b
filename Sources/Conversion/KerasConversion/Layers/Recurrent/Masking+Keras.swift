import Bytes
import GraphIR
import LayerCatalog

extension Masking: KerasMapped {
  /// Keras: `Masking(mask_value=0.0)`. The mask travels on beside the output.
  static let keras = KerasMapping([
    KerasLayerClass("Masking", masks: .ownRule, casts: .floats, shape: .same) {
      (layer, inputs) throws(WeighbridgeError) in
      let value = try layer.real("mask_value", default: 0)
      let outputs = try layer.add(Masking(value: value), [try layer.onlyInput(inputs)])
      layer.setMask(outputs[1], of: outputs[0])
      return [outputs[0]]
    }
  ])
}
