import Bytes
import ConversionCore
import GraphIR
import KerasFormat
import LayerCatalog

extension Identity: KerasMapped {
  /// Keras: `Identity`, and the layers that do something in training only; `SpectralNormalization`,
  /// which becomes what it wraps; `Activation`, whose setting names what it is.
  static let keras = KerasMapping(
    [
      .elementwise("Activation") { (layer, inputs) throws(WeighbridgeError) in
        try layer.addActivation(to: try layer.onlyInput(inputs), role: "")
      },
      .elementwise("ActivityRegularization", ignoring("l1", "l2")),
      .elementwise("AlphaDropout", dropout),
      .elementwise("Dropout", dropout),
      .elementwise("GaussianDropout", dropout),
      .elementwise("GaussianNoise", ignoring("stddev", "seed")),
      KerasLayerClass("Identity", masks: .passedSinceKeras3, casts: .floats, shape: .same) {
        (layer, inputs) throws(WeighbridgeError) in
        try layer.add(Identity(), [try layer.onlyInput(inputs)])
      },
      KerasLayerClass(
        "SpectralNormalization", masks: .ownRule, casts: .floats, shape: .unknown,
        parts: spectralParts, spectralNormalization),
      .plain("StochasticDepth", ignoring("drop_path_rate")),  // of ConvNeXt models
    ]
      + (1...3).map { axes in
        KerasLayerClass(
          "SpatialDropout\(axes)D", masks: .passed, casts: .floats, shape: .window(axes: axes),
          dropout)
      } + imageChanges)
  static let kerasRow: KerasRow? = KerasRow(Identity.self) {
    (_, builder) throws(WeighbridgeError) in builder[0]
  }

  /// Reads a layer that does nothing when the model runs.
  private static func ignoring(_ settings: String...) -> KerasMapping.Build {
    { (layer, inputs) throws(WeighbridgeError) in
      for setting in settings { layer.ignore(setting) }
      return try layer.add(Identity(), inputs)
    }
  }

  private static let dropout = ignoring("rate", "noise_shape", "seed", "data_format")

  /// Layers that change images in training only. Those of the first lines cast whole numbers.
  private static var imageChanges: [KerasLayerClass] {
    let keepingShape = [
      "RandomBrightness", "RandomContrast", "RandomFlip", "RandomRotation", "RandomTranslation",
      "RandomZoom",
    ]
    let random = [
      "RandomColorDegeneration", "RandomColorJitter", "RandomElasticTransform", "RandomErasing",
      "RandomGaussianBlur", "RandomGrayscale", "RandomHeight", "RandomHue", "RandomInvert",
      "RandomPerspective", "RandomPosterization", "RandomSaturation", "RandomSharpness",
      "RandomShear", "RandomWidth",
    ]
    let others = [
      "AugMix", "CutMix", "Equalization", "MaxNumBoundingBoxes", "MixUp", "RandAugment",
      "Solarization",
    ]
    return keepingShape.map { .plain($0, casts: .all, shape: .same, imageChange) }
      + random.map { .plain($0, casts: .all, imageChange) }
      + others.map { .plain($0, imageChange) }
  }

  private static let imageSettings = [
    "addition_factor", "all_ops", "alpha", "bins", "brightness_factor", "chain_depth",
    "contrast_factor", "data_format", "factor", "fill_mode", "fill_value", "height_factor",
    "hue_factor", "interpolation", "kernel_size", "max_number", "mode", "num_chains", "num_ops",
    "saturation_factor", "scale", "seed", "sigma", "threshold_factor", "value_range",
    "width_factor", "x_factor", "y_factor",
  ]

  private static let imageChange: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    for setting in imageSettings { layer.ignore(setting) }
    let type = try layer.typedInput(inputs).type
    guard type.elementType.isFloat else {
      throw .unsupported("turns \(type) into floating-point numbers")
    }
    return try layer.add(Identity(), inputs)
  }
}
