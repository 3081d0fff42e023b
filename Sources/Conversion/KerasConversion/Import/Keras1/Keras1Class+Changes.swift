import Bytes
import JSON
import KerasFormat
import LayerCatalog

/// Classes whose settings determine the Keras 2 class.
extension Keras1Class {
  /// The Keras 2 classes of the modes of `Merge`.
  static let mergeModes = [
    "ave": "Average", "concat": "Concatenate", "cos": "Merge (Keras 1)", "dot": "Dot",
    "max": "Maximum", "mul": "Multiply", "sum": "Add",
  ]

  /// `Merge`, of which each mode is a layer class in Keras 2.
  static func merge(_ record: KerasLayerRecord) throws(WeighbridgeError) -> Keras1Class {
    let mode = record.config["mode"]
    let type = record.config["mode_type"]?.string ?? "raw"
    guard type == "raw", let mode = mode?.string else {
      throw .unsupported("merges with a function of the user's own, which cannot be read")
    }
    guard let name = mergeModes[mode] else {
      let list = mergeModes.keys.sorted().joined(separator: ", ")
      throw .unsupported("mode=\"\(mode)\", and one of \(list) is expected")
    }
    return Keras1Class(className: name) { (settings) throws(WeighbridgeError) in
      let axis = settings.take("concat_axis")
      let axes = settings.take("dot_axes")
      if mode == "concat" { settings.config["axis"] = axis }
      if mode == "dot" || mode == "cos" { settings.config["axes"] = axes }
      // These repeat the mode, unless it is a function.
      for key in [
        "arguments", "mode", "mode_type", "output_mask", "output_mask_type", "output_shape",
        "output_shape_type",
      ] { settings.config[key] = nil }
    }
  }

  /// `BatchNormalization`, whose `mode` states what it normalizes and with which mean and variance;
  /// Keras 2 only has mode 0.
  static func batchNormalization(
    _ record: KerasLayerRecord, _ writer: KerasProducer
  ) throws(WeighbridgeError) -> Keras1Class {
    let mode = record.config["mode"] ?? 0
    guard let number = mode.integer, (0...2).contains(number) else {
      throw .unsupported("mode=\(mode.text()), and 0, 1 or 2 is expected")
    }
    guard !writer.isVersionAssumed else {
      throw .unsupported(
        "the file does not name its Keras version, and up to 1.0.5 a batch normalization "
          + "divides by "
          + "running_std + epsilon, from 1.0.6 on by the root of it; say which with "
          + "\(APIName.kerasVersion)"
      )
    }
    if number > 0 { return Keras1Class(className: "BatchNormalization (Keras 1)") }
    let isDeviation = writer.version < KerasVersion(1, 0, 6)
    let epsilon = record.config["epsilon"]?.real ?? 1e-6
    return Keras1Class(
      className: "BatchNormalization",
      change: { (settings) throws(WeighbridgeError) in
        settings.config["mode"] = nil
        guard isDeviation else { return }
        settings.config["epsilon"] = 0
        settings.decisions.append(
          "running_std is a standard deviation, as in Keras up to 1.0.5; "
            + "stored as the variance (running_std + \(epsilon))²")
      },
      weights: isDeviation ? .deviations(epsilon: epsilon) : .unchanged)
  }

  /// The padding of `ZeroPadding1D` and `ZeroPadding2D`: one number for both ends of an axis, four
  /// numbers for two axes, or an object with the ends' names.
  static let padding: Change = { (settings) throws(WeighbridgeError) in
    guard let written = settings.config["padding"] else { return }
    if let list = written.array, list.count == 4 {
      settings.config["padding"] = .array([.array(Array(list[..<2])), .array(Array(list[2...]))])
    }
    guard let sides = written.object else { return }
    let rows = ["top_pad", "bottom_pad"]
    let columns = ["left_pad", "right_pad"]
    guard sides.keys.allSatisfy({ (rows + columns).contains($0) }) else {
      throw .unsupported(
        "padding=\(written.text()), expected top_pad, bottom_pad, left_pad and "
          + "right_pad")
    }
    let pairs = [rows, columns].map { names in JSONValue.array(names.map { sides[$0] ?? 0 }) }
    settings.config["padding"] = settings.isSequence ? pairs[1] : .array(pairs)
  }
}
