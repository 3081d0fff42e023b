import Bytes
import GraphIR
import LayerCatalog

extension Identity {
  /// Keras: the function `linear`, `Identity`, and the layers that do something in training only:
  /// `Dropout`, `SpatialDropout1D` to `SpatialDropout3D`, `GaussianNoise`, `GaussianDropout`,
  /// `AlphaDropout`, `ActivityRegularization`, `StochasticDepth` of ConvNeXt models, and what
  /// changes images in training, `AugMix` to `Solarization`.
  /// `SpectralNormalization` becomes what it wraps.
  /// Also `Activation`, whose setting names what it is.
  static let keras = KerasMapping(
    layers: changesInTraining.merging([
      "Activation": { (layer, inputs) throws(WeighbridgeError) in
        try layer.addActivation(to: try layer.onlyInput(inputs), role: "")
      },
      "Dropout": dropout,
      "SpatialDropout1D": dropout,
      "SpatialDropout2D": dropout,
      "SpatialDropout3D": dropout,
      "GaussianDropout": dropout,
      "AlphaDropout": dropout,
      "GaussianNoise": { (layer, inputs) throws(WeighbridgeError) in
        layer.ignore("stddev", "seed")
        return try layer.add(Identity(), inputs)
      },
      "ActivityRegularization": { (layer, inputs) throws(WeighbridgeError) in
        layer.ignore("l1", "l2")
        return try layer.add(Identity(), inputs)
      },
      "Identity": { (layer, inputs) throws(WeighbridgeError) in
        try layer.add(Identity(), [try layer.onlyInput(inputs)])
      },
      "SpectralNormalization": spectralNormalization,
      "StochasticDepth": { (layer, inputs) throws(WeighbridgeError) in
        layer.ignore("drop_path_rate")
        return try layer.add(Identity(), inputs)
      },
    ]) { first, _ in first },
    activations: ["linear": { _, _ in Identity() }])

  private static let dropout: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    layer.ignore("rate", "noise_shape", "seed", "data_format")
    return try layer.add(Identity(), inputs)
  }
}
