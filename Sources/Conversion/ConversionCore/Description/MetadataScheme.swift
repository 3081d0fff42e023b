import GraphIR

/// How a format holds what is known of a model: some of it in places of its own, the rest as texts
/// under keys (``DescriptionEntries``).
package struct MetadataScheme {
  /// A part of what is known; the value is its usual key.
  package enum Field: String, CaseIterable {
    case name, author, license, licenseNote, version
    case summary = "description"
    case inputs, outputs, labels, detector
    /// What the model was made with.
    case source

    /// Whether its text is JSON, as `Schemas/metadata.schema.json` has it.
    package var isStructure: Bool { [.inputs, .outputs, .labels, .detector].contains(self) }
  }

  /// The key of an image's record is the input's name after it, where the format has a place for
  /// the rest of what is said of inputs.
  package static let imagePrefix = "image."
  /// What stands before an author's own key that is taken.
  package static let userPrefix = "user."

  /// What the format has a place of its own for.
  package var places: Set<Field> = []
  /// The keys of fields that do not have the usual one.
  package var keys: [Field: String] = [:]
  /// Keys that the format itself takes.
  package var reserved: Set<String> = []
  /// Whether a file holds the network, not its weights alone.
  package var holdsNetwork = true

  /// The key of a field; `nil` where the format has a place of its own.
  package func key(of field: Field) -> String? {
    places.contains(field) ? nil : keys[field] ?? field.rawValue
  }

  /// The field that a key stands for.
  package func field(of key: String) -> Field? { Field.allCases.first { self.key(of: $0) == key } }

  /// The input whose image a key is about.
  package func image(of key: String) -> String? {
    guard places.contains(.inputs), key.hasPrefix(Self.imagePrefix) else { return nil }
    return String(key.dropFirst(Self.imagePrefix.count))
  }

  /// Whether an author's own entry cannot have that key as it is.
  package func isTaken(_ key: String) -> Bool {
    reserved.contains(key) || field(of: key) != nil || image(of: key) != nil
      || key == "userDefined" || key.hasPrefix(Self.userPrefix)
  }
}

extension MetadataScheme {
  /// `__metadata__` of a safetensors file; `format` says whose axes the tensors have.
  package static let safetensors = MetadataScheme(reserved: ["format"], holdsNetwork: false)

  /// The texts in our files of Keras.
  package static let keras = MetadataScheme()

  /// `metadata_props`, where ONNX has keys of its own for the author, the license and images.
  package static let onnx = MetadataScheme(
    places: [.name, .summary, .inputs, .outputs],
    keys: [.author: "model_author", .license: "model_license", .version: "model_version"],
    reserved: ["Image.BitmapPixelFormat", "Image.ColorSpaceGamma", "Image.NominalPixelRange"])

  /// User-defined entries of Core ML. `classes` and the two thresholds are what apps look for.
  package static let coreML = MetadataScheme(
    places: [.author, .license, .version, .summary, .inputs, .outputs],
    reserved: [
      "classes", "non_maximum_suppression_threshold", "confidence_threshold", "converter",
      "com.apple.coreml.model.preview.type",
    ])
}
