import GraphIR
import JSON

/// What is known of a model, as the entries of ONNX' metadata.
///
/// - `model_author` and `model_license` are ONNX' own keys
/// - `model_version`: the model's version, as its author counts
/// - `labels`: the classes, a JSON list
/// - `detector`: anchors, masks and thresholds (not in a file that gives boxes), and `image.NAME`: how a picture becomes the input
///   NAME; both as `Schemas/metadata.schema.json` has them
/// - `Image.BitmapPixelFormat`, `Image.ColorSpaceGamma`, `Image.NominalPixelRange`: ONNX' own keys for
///   a model that takes one picture
/// - `source`: what the model was made with
/// - all others: the author's own, by their keys; one that is taken begins with `user.`
enum ONNXMetadata {
  /// - Parameter hasHeads: Whether the outputs are those that the detector speaks of.
  static func entries(
    _ description: ModelDescription, _ provenance: Provenance, inputs: [String], hasHeads: Bool
  ) -> [(key: String, value: String)] {
    var entries: [(key: String, value: String)] = []
    let add = { (key: String, value: String?) in
      if let value { entries.append((key: key, value: value)) }
    }
    add("model_author", description.author)
    add("model_license", description.license?.text)
    add("model_version", description.version)
    if !description.labels.isEmpty {
      add("labels", JSONValue.array(description.labels.map(JSONValue.string)).text())
    }
    if hasHeads { add("detector", description.detector?.json.text()) }
    for (name, feature) in zip(inputs, description.inputs) {
      add("image.\(name)", feature.image?.json.text())
    }
    let images = description.inputs.compactMap(\.image)
    if let image = images.first, images.count == 1 {
      add("Image.BitmapPixelFormat", image.bitmapPixelFormat)
      add("Image.ColorSpaceGamma", "SRGB")
      add("Image.NominalPixelRange", image.nominalPixelRange)
    }
    let version = provenance.frameworkVersion.map { " \($0)" } ?? ""
    add("source", provenance.framework.isEmpty ? nil : provenance.framework + version)
    let taken = Set(entries.map(\.key))
    for (key, value) in description.userDefined.sorted(by: { $0.key < $1.key }) {
      add(taken.contains(key) ? "user.\(key)" : key, value)
    }
    return entries
  }
}

extension ImageInput {
  /// The order of a pixel's components in ONNX' words.
  fileprivate var bitmapPixelFormat: String {
    switch colorOrder {
    case .rgb: "Rgb8"
    case .bgr: "Bgr8"
    case .gray: "Gray8"
    }
  }

  /// What 0...255 becomes, in ONNX' words, where it has one for it.
  fileprivate var nominalPixelRange: String? {
    let ends = bias.map { [Float($0), Float(255 * scale + $0)] }
    guard let first = ends.first, ends.allSatisfy({ $0 == first }) else { return nil }
    return switch first {
    case [0, 255]: "NominalRange_0_255"
    case [0, 1]: "Normalized_0_1"
    case [-1, 1]: "Normalized_1_1"
    default: nil
    }
  }
}
