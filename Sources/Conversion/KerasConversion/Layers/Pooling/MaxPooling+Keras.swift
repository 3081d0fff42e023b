import Bytes
import GraphIR
import LayerCatalog

extension MaxPooling {
  /// Keras: `MaxPooling1D`, `MaxPooling2D`, `MaxPooling3D`.
  static let keras = KerasMapping(layers: [
    "MaxPooling1D": { (layer, inputs) throws(WeighbridgeError) in
      try add(&layer, inputs, axes: 1)
    },
    "MaxPooling2D": { (layer, inputs) throws(WeighbridgeError) in
      try add(&layer, inputs, axes: 2)
    },
    "MaxPooling3D": { (layer, inputs) throws(WeighbridgeError) in
      try add(&layer, inputs, axes: 3)
    },
  ])

  private static func add(
    _ layer: inout KerasLayer, _ inputs: [ValueID], axes: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    let window = try layer.poolingWindow(axes: axes)
    return try layer.add(MaxPooling(window: window, layout: try layer.dataLayout()), inputs)
  }
}
