import Bytes
import GraphIR
import JSON
import LayerCatalog

extension AutoContrast {
  /// Keras 3: `AutoContrast(value_range=(0, 255))`, which takes the axes behind the batch for the
  /// spatial ones, whatever the layout.
  static let keras = KerasMapping(layers: [
    "AutoContrast": { (layer, inputs) throws(WeighbridgeError) in
      layer.ignore("data_format")
      let range = try layer.realList("value_range", default: [0, 255])
      guard range.count == 2, range[0] != range[1] else {
        throw WeighbridgeError(.malformed, "value_range=\(range)")
      }
      let operation = AutoContrast(low: min(range[0], range[1]), high: max(range[0], range[1]))
      return try layer.add(operation, [try layer.onlyInput(inputs)])
    }
  ])
}
