import Bytes
import GraphIR
import LayerCatalog

extension AveragePooling {
  /// Keras: `AveragePooling1D`, `AveragePooling2D`, `AveragePooling3D`. Padding does
  /// not count, except in some versions on Theano.
  static let keras = KerasMapping(layers: [
    "AveragePooling1D": { (layer, inputs) throws(WeighbridgeError) in
      try add(&layer, inputs, axes: 1)
    },
    "AveragePooling2D": { (layer, inputs) throws(WeighbridgeError) in
      try add(&layer, inputs, axes: 2)
    },
    "AveragePooling3D": { (layer, inputs) throws(WeighbridgeError) in
      try add(&layer, inputs, axes: 3)
    },
  ])

  private static func add(
    _ layer: inout KerasLayer, _ inputs: [ValueID], axes: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    let window = try layer.poolingWindow(axes: axes)
    let layout = try layer.dataLayout()
    let countIncludePad = axes <= 2 && layer.averagesPaddingOnTheano
    return try layer.add(
      AveragePooling(window: window, countIncludePad: countIncludePad, layout: layout), inputs)
  }
}
