import Bytes
import JSON
import LayerCatalog

/// The settings of a layer that are being converted to those of Keras 2.
struct Keras1Settings {
  var config: JSONObject
  var decisions: [String] = []
  /// Whether the layer has one axis in addition to batch and channels.
  private(set) var isSequence = false

  init(_ config: JSONObject) { self.config = config }

  /// The Keras 2 names of settings with the same meaning.
  private static let renames = [
    "atrous_rate": "dilation_rate", "bias": "use_bias", "border_mode": "padding",
    "dropout_U": "recurrent_dropout", "dropout_W": "dropout", "filter_length": "kernel_size",
    "inner_activation": "recurrent_activation", "length": "size", "nb_filter": "filters",
    "output_dim": "units", "p": "rate", "pool_length": "pool_size", "sigma": "stddev",
    "stride": "strides", "subsample": "strides", "subsample_length": "strides",
  ]

  /// Settings that matter only when a layer is built or trained, or that follow from the input.
  private static let unused = [
    "alpha_init", "beta_init", "consume_less", "forget_bias_init", "gamma_init", "init",
    "inner_init", "input_dim", "input_length", "t_left_init", "a_left_init", "t_right_init",
    "a_right_init", "transform_bias",
  ]

  mutating func translate(
    _ entry: Keras1Class, _ dialect: Keras1Dialect
  ) throws(WeighbridgeError) {
    for (parts, whole) in entry.lists { try join(parts, whole) }
    for key in Self.unused where !entry.keeps.contains(key) { config[key] = nil }
    for key in config.keys where !entry.keeps.contains(key) {
      guard let name = Self.renames[key] else { continue }
      guard config[name] == nil else {
        throw .malformed("has the settings \(key) and \(name), which are one")
      }
      config[name] = config[key]
      config[key] = nil
    }
    isSequence = !entry.hasImageAxes
    try entry.change?(&self)
    try setOrdering(entry, dialect)
  }

  /// Joins several settings to one list.
  private mutating func join(_ parts: [String], _ whole: String) throws(WeighbridgeError) {
    var values: [JSONValue] = []
    for key in parts {
      guard let value = config[key] else { throw .malformed("the setting \(key) is missing") }
      values.append(value)
      config[key] = nil
    }
    config[whole] = .array(values)
  }

  /// Replaces `dim_ordering` by `data_format`. Layers with image axes that omit it use that of the
  /// other layers.
  private mutating func setOrdering(
    _ entry: Keras1Class, _ dialect: Keras1Dialect
  ) throws(WeighbridgeError) {
    let written = config["dim_ordering"]
    config["dim_ordering"] = nil
    guard entry.hasImageAxes else {
      if let written { config["dim_ordering"] = written }
      return
    }
    var orderingName = written?.string
    if written == nil || written == .null {
      guard let ordering = dialect.ordering else {
        throw .unsupported(
          "does not say its dim_ordering, and the model's other layers have th and tf")
      }
      orderingName = ordering.name
      decisions.append(
        "the file leaves out the layer's dim_ordering; read as \(ordering.name), "
          + (ordering.isFound ? "which the model's other layers have" : "Keras' default then"))
    }
    switch orderingName {
    case "th": config["data_format"] = "channels_first"
    case "tf": config["data_format"] = "channels_last"
    default:
      throw .unsupported("dim_ordering=\(written?.text() ?? ""), and th or tf is expected")
    }
  }

  /// Removes a setting and returns it.
  mutating func take(_ key: String) -> JSONValue? {
    let value = config[key]
    config[key] = nil
    return value == .null ? nil : value
  }
}
