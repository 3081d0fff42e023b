import Bytes
import GraphIR
import LayerCatalog

extension GlobalAveragePooling {
  /// Keras: `GlobalAveragePooling1D`, `GlobalAveragePooling2D`, `GlobalAveragePooling3D`. Of an input
  /// with a mask, the first takes the mean of the steps that count.
  static let keras = KerasMapping(layers: [
    "GlobalAveragePooling1D": { (layer, inputs) throws(WeighbridgeError) in
      let input = try layer.onlyInput(inputs)
      guard let mask = layer.takeTensors("mask").first ?? layer.mask(of: input) else {
        return try add(&layer, inputs, axes: 1)
      }
      let keepDims = try layer.flag("keepdims", default: false)
      return try layer.add(
        MaskedAveragePooling(keepDims: keepDims, layout: try layer.dataLayout()),
        [input, mask])
    },
    "GlobalAveragePooling2D": { (layer, inputs) throws(WeighbridgeError) in
      try add(&layer, inputs, axes: 2)
    },
    "GlobalAveragePooling3D": { (layer, inputs) throws(WeighbridgeError) in
      try add(&layer, inputs, axes: 3)
    },
  ])
}
