import GraphIR

/// How a format stores a model's description: some parts in fields of its own, the rest as
/// key-value pairs of strings (``DescriptionEntries``).
package struct MetadataScheme {
  /// A part of a description; the raw value is its default key.
  package enum Field: String, CaseIterable {
    case name, author, license, licenseNote, version
    case summary = "description"
    case inputs, outputs, labels, detector
    /// The framework that the model was made with.
    case source

    /// Whether its string is JSON, in the form of `Schemas/metadata.schema.json`.
    package var isJSON: Bool { [.inputs, .outputs, .labels, .detector].contains(self) }
  }

  /// The prefix of the key of an image's record, followed by the input's name. Used by formats with
  /// fields of their own for the rest of an input's description.
  package static let imagePrefix = "image."
  /// The prefix of the key of an input's or output's name in the model, followed by its name in the
  /// file. Used by formats that do not allow every name; other entries then have the model's names.
  package static let namePrefix = "name."
  /// The prefix for a user-defined key that is taken.
  package static let userPrefix = "user."

  /// The parts for which the format has fields of its own.
  package var nativeFields: Set<Field> = []
  /// The keys of parts that differ from the default.
  package var keys: [Field: String] = [:]
  /// Keys that the format uses itself.
  package var reserved: Set<String> = []
  /// Whether the format allows only some names of inputs and outputs.
  package var limitsNames = false
  /// Whether a file contains the network, not only its weights.
  package var includesNetwork = true

  /// The key of a part; `nil` if the format has a field of its own for it.
  package func key(of field: Field) -> String? {
    nativeFields.contains(field) ? nil : keys[field] ?? field.rawValue
  }

  /// The part with a key; `nil` if there is none.
  package func field(of key: String) -> Field? { Field.allCases.first { self.key(of: $0) == key } }

  /// The name of the input whose image a key describes; `nil` for other keys.
  package func image(of key: String) -> String? {
    guard nativeFields.contains(.inputs), key.hasPrefix(Self.imagePrefix) else { return nil }
    return String(key.dropFirst(Self.imagePrefix.count))
  }

  /// The input or output whose name in the model has a key, by its name in the file; `nil` for other
  /// keys.
  package func fileName(of key: String) -> String? {
    guard limitsNames, key.hasPrefix(Self.namePrefix) else { return nil }
    return String(key.dropFirst(Self.namePrefix.count))
  }

  /// Whether a user-defined entry cannot use a key unchanged.
  package func isTaken(_ key: String) -> Bool {
    reserved.contains(key) || field(of: key) != nil || image(of: key) != nil
      || fileName(of: key) != nil || key == "userDefined" || key.hasPrefix(Self.userPrefix)
  }
}

extension MetadataScheme {
  /// `__metadata__` of a safetensors file; `format` names the framework whose axis order applies to
  /// the tensors.
  package static let safetensors = MetadataScheme(reserved: ["format"], includesNetwork: false)

  /// The entries in the Keras files that we write.
  package static let keras = MetadataScheme()

  /// `metadata_props`, in which ONNX has keys of its own for the author, the license and images.
  package static let onnx = MetadataScheme(
    nativeFields: [.name, .summary, .inputs, .outputs],
    keys: [.author: "model_author", .license: "model_license", .version: "model_version"],
    reserved: ["Image.BitmapPixelFormat", "Image.ColorSpaceGamma", "Image.NominalPixelRange"])

  /// Entries beside TFLite Metadata, which has fields of its own for most.
  package static let tflite = MetadataScheme(
    nativeFields: [.name, .author, .license, .version, .summary, .inputs, .outputs],
    reserved: ["min_runtime_version", "TFLITE_METADATA", "CONVERSION_METADATA"])

  /// User-defined entries of Core ML. Apps look for `classes` and the two thresholds.
  package static let coreML = MetadataScheme(
    nativeFields: [.author, .license, .version, .summary, .inputs, .outputs],
    reserved: [
      "classes", "non_maximum_suppression_threshold", "confidence_threshold", "converter",
      "com.apple.coreml.model.preview.type",
    ], limitsNames: true)
}
