import Bytes
import GraphIR
import LayerCatalog

extension Cropping: KerasMapped {
  /// Keras: `Cropping1D`, `Cropping2D`, `Cropping3D`. In two dimensions it crops nothing unless
  /// told to, in one and three 1 at each end.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("Cropping", shape: { .window(axes: $0) }) { axes in
      { (layer, inputs) throws(WeighbridgeError) in
        let borders = try layer.borders("cropping", axes: axes, default: axes == 2 ? 0 : 1)
        let layout = axes == 1 ? .channelsLast : try layer.dataLayout()
        return try layer.add(Cropping(borders: borders, layout: layout), inputs)
      }
    })
}

extension ZeroPadding: KerasMapped {
  /// Keras: `ZeroPadding1D`, `ZeroPadding2D`, `ZeroPadding3D`.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("ZeroPadding", shape: { .window(axes: $0) }) { axes in
      { (layer, inputs) throws(WeighbridgeError) in
        let borders = try layer.borders("padding", axes: axes, default: 1)
        let layout =
          axes == 1
          ? try layer.word("data_format", default: .channelsLast) : try layer.dataLayout()
        return try layer.add(ZeroPadding(borders: borders, layout: layout), inputs)
      }
    })
}
