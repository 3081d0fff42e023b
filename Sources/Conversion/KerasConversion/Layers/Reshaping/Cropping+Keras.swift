import Bytes
import GraphIR
import LayerCatalog

extension Cropping {
  /// Keras: `Cropping1D`, `Cropping2D`, `Cropping3D`. In two dimensions it crops nothing unless
  /// told to, in one and three 1 at each end.
  static let keras = KerasMapping(layers: [
    "Cropping1D": { (layer, inputs) throws(WeighbridgeError) in
      let borders = try layer.borders("cropping", axes: 1, default: 1)
      return try layer.add(Cropping(borders: borders, layout: .channelsLast), inputs)
    },
    "Cropping2D": { (layer, inputs) throws(WeighbridgeError) in
      let borders = try layer.borders("cropping", axes: 2, default: 0)
      return try layer.add(Cropping(borders: borders, layout: try layer.dataLayout()), inputs)
    },
    "Cropping3D": { (layer, inputs) throws(WeighbridgeError) in
      let borders = try layer.borders("cropping", axes: 3, default: 1)
      return try layer.add(Cropping(borders: borders, layout: try layer.dataLayout()), inputs)
    },
  ])
}
