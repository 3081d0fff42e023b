import Bytes
import GraphIR
import LayerCatalog

/// Layers of Keras that change images in training only.
extension Identity {
  /// The builders, by class name.
  static let changesInTraining: [String: KerasMapping.Build] = {
    var builders: [String: KerasMapping.Build] = [:]
    for name in changes { builders[name] = randomChange }
    return builders
  }()

  private static let changes = [
    "AugMix", "CutMix", "Equalization", "MaxNumBoundingBoxes", "MixUp", "RandAugment",
    "RandomBrightness",
    "RandomColorDegeneration", "RandomColorJitter", "RandomContrast", "RandomElasticTransform",
    "RandomErasing", "RandomFlip", "RandomGaussianBlur", "RandomGrayscale", "RandomHeight",
    "RandomHue", "RandomInvert", "RandomPerspective", "RandomPosterization", "RandomRotation",
    "RandomSaturation", "RandomSharpness", "RandomShear", "RandomTranslation", "RandomWidth",
    "RandomZoom", "Solarization",
  ]

  private static let settings = [
    "addition_factor", "all_ops", "alpha", "bins", "brightness_factor", "chain_depth",
    "contrast_factor", "data_format", "factor", "fill_mode", "fill_value", "height_factor",
    "hue_factor", "interpolation", "kernel_size", "max_number", "mode", "num_chains", "num_ops",
    "saturation_factor", "scale", "seed", "sigma", "threshold_factor", "value_range",
    "width_factor", "x_factor", "y_factor",
  ]

  private static let randomChange: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    for setting in settings { layer.ignore(setting) }
    let type = layer.graph.type(of: try layer.onlyInput(inputs))
    guard type.elementType.isFloat else {
      throw WeighbridgeError(.unsupported, "turns \(type) into floating-point numbers")
    }
    return try layer.add(Identity(), inputs)
  }
}
