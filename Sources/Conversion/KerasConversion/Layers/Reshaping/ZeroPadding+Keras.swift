import Bytes
import GraphIR
import LayerCatalog

extension ZeroPadding {
  /// Keras: `ZeroPadding1D`, `ZeroPadding2D`, `ZeroPadding3D`.
  static let keras = KerasMapping(layers: [
    "ZeroPadding1D": { (layer, inputs) throws(WeighbridgeError) in
      let borders = try layer.borders("padding", axes: 1, default: 1)
      let layout: DataLayout = try layer.word("data_format", default: .channelsLast)
      return try layer.add(ZeroPadding(borders: borders, layout: layout), inputs)
    },
    "ZeroPadding2D": { (layer, inputs) throws(WeighbridgeError) in
      let borders = try layer.borders("padding", axes: 2, default: 1)
      return try layer.add(ZeroPadding(borders: borders, layout: try layer.dataLayout()), inputs)
    },
    "ZeroPadding3D": { (layer, inputs) throws(WeighbridgeError) in
      let borders = try layer.borders("padding", axes: 3, default: 1)
      return try layer.add(ZeroPadding(borders: borders, layout: try layer.dataLayout()), inputs)
    },
  ])
}
