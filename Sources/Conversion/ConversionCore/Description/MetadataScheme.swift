import GraphIR

/// How a format stores a model's description: some of it in fields of its own, the rest as strings
/// under keys (``DescriptionEntries``).
package struct MetadataScheme {
  /// A part of a description; the raw value is its usual key.
  package enum Field: String, CaseIterable {
    case name, author, license, licenseNote, version
    case summary = "description"
    case inputs, outputs, labels, detector
    /// What the model was made with.
    case source

    /// Whether its string is JSON, as `Schemas/metadata.schema.json` has it.
    package var isStructure: Bool { [.inputs, .outputs, .labels, .detector].contains(self) }
  }

  /// The prefix of an image's record, followed by the input's name, where the format has its own
  /// field for the rest of an input's description.
  package static let imagePrefix = "image."
  /// The prefix of an author's own key that is taken.
  package static let userPrefix = "user."

  /// The parts that the format has a field of its own for.
  package var places: Set<Field> = []
  /// The keys of the parts that do not have the usual one.
  package var keys: [Field: String] = [:]
  /// Keys that the format uses itself.
  package var reserved: Set<String> = []
  /// Whether a file contains the network, not only its weights.
  package var holdsNetwork = true

  /// The key of a part; `nil` where the format has a field of its own for it.
  package func key(of field: Field) -> String? {
    places.contains(field) ? nil : keys[field] ?? field.rawValue
  }

  /// The part that a key stands for.
  package func field(of key: String) -> Field? { Field.allCases.first { self.key(of: $0) == key } }

  /// The input whose image a key is about.
  package func image(of key: String) -> String? {
    guard places.contains(.inputs), key.hasPrefix(Self.imagePrefix) else { return nil }
    return String(key.dropFirst(Self.imagePrefix.count))
  }

  /// Whether an author's own entry cannot use that key unchanged.
  package func isTaken(_ key: String) -> Bool {
    reserved.contains(key) || field(of: key) != nil || image(of: key) != nil
      || key == "userDefined" || key.hasPrefix(Self.userPrefix)
  }
}

extension MetadataScheme {
  /// `__metadata__` of a safetensors file; `format` names the framework whose axis order the
  /// tensors have.
  package static let safetensors = MetadataScheme(reserved: ["format"], holdsNetwork: false)

  /// The entries in the Keras files that we write.
  package static let keras = MetadataScheme()

  /// `metadata_props`, where ONNX has keys of its own for the author, the license and images.
  package static let onnx = MetadataScheme(
    places: [.name, .summary, .inputs, .outputs],
    keys: [.author: "model_author", .license: "model_license", .version: "model_version"],
    reserved: ["Image.BitmapPixelFormat", "Image.ColorSpaceGamma", "Image.NominalPixelRange"])

  /// User-defined entries of Core ML. Apps look for `classes` and the two thresholds.
  package static let coreML = MetadataScheme(
    places: [.author, .license, .version, .summary, .inputs, .outputs],
    reserved: [
      "classes", "non_maximum_suppression_threshold", "confidence_threshold", "converter",
      "com.apple.coreml.model.preview.type",
    ])
}
