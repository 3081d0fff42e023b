import Bytes
import JSON
import KerasFormat

/// What layers that are called with `training=True` do then, as Keras 2 computes them. (In Keras 3
/// the model's own mode overrides that of a call.)
enum KerasTrainingMode {
  /// The settings of layers that draw random numbers unless all of these are 0.
  private static let randomSettings: [String: [String]] = {
    var settings: [String: [String]] = [
      "AdditiveAttention": ["dropout"], "AlphaDropout": ["rate"], "Attention": ["dropout"],
      "Dropout": ["rate"], "FixedDropout": ["rate"], "GaussianDropout": ["rate"],
      "GaussianNoise": ["stddev"], "MultiHeadAttention": ["dropout"],
      "StochasticDepth": ["drop_path_rate"],
    ]
    for axes in 1...3 {
      settings["SpatialDropout\(axes)D"] = ["rate"]
      for name in ["ConvLSTM\(axes)D", "ConvLSTM\(axes)DCell"] {
        settings[name] = ["dropout", "recurrent_dropout"]
      }
    }
    for name in recurrentNames {
      for suffix in ["", "Cell", "V1", "V2", "CellV2"] {
        settings[name + suffix] = ["dropout", "recurrent_dropout"]
      }
    }
    return settings
  }()

  /// Refuses a layer that draws random numbers in training, or changes its weights for the call.
  ///
  /// - Parameter isKnown: Whether the class is one of Keras' own.
  static func check(
    _ layer: KerasLayerRecord, isKnown: Bool
  ) throws(WeighbridgeError) {
    try check(layer.className, layer.config, isKnown: isKnown)
    // The layers that it wraps are in the same mode.
    for object in layer.config.nestedObjects {
      guard let name = object["class_name"]?.string, let config = object["config"]?.object,
        KerasMappings.classes[name] != nil
      else { continue }
      if name == "BatchNormalization" {
        throw .unsupported(
          "is called with training=true and wraps a BatchNormalization, whose statistics would then "
            + "be those of the batch; only a layer of its own is supported")
      }
      try check(name, config, isKnown: true)
    }
  }

  private static func check(
    _ name: String, _ config: JSONObject, isKnown: Bool
  ) throws(WeighbridgeError) {
    if let settings = randomSettings[name] {
      for setting in settings {
        guard let number = config[setting]?.real, number != 0 else { continue }
        throw .unsupported(
          "is called with training=true and has \(setting)=\(config[setting]?.text() ?? ""), so that "
            + "it draws random numbers, which no other run repeats")
      }
      return
    }
    guard isKnown else {
      throw .unsupported("is called with training=true, and what it then does is not known")
    }
    if name.hasPrefix("Random") {
      throw .unsupported(
        "is called with training=true, so that it draws random numbers, which no other run repeats")
    }
    if name == "SpectralNormalization" {
      throw .unsupported(
        "is called with training=true, so that it normalizes its kernel anew in each call")
    }
  }
}
