package import Bytes
import HDF5File
import JSON

/// A Keras model without its weights.
package struct KerasArchitecture: Hashable, Sendable {
  /// The version of Keras that wrote it; `nil` where the file does not give it.
  package var version: KerasVersion?
  /// The backend that Keras ran on, such as `tensorflow`.
  package var backend: String?
  /// The model.
  package let model: KerasModelRecord

  /// Creates an architecture from a model alone.
  package init(_ model: KerasModelRecord) { self.model = model }

  /// Reads the model from a `to_json` or `to_yaml` text, or from an `.h5` file or a `.keras`
  /// archive that contains one, distinguished by their content.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - layerNames: The names of the layers in the weights' file; see
  ///     ``KerasModelRecord/init(parsing:layerNames:)``.
  /// - Throws: ``WeighbridgeError/Code/missing``, ``WeighbridgeError/Code/malformed``,
  ///   ``WeighbridgeError/Code/unsupported``, with the location in the file.
  package static func read(
    path: String, layerNames: [String]? = nil
  ) throws(WeighbridgeError) -> KerasArchitecture {
    let store = ByteStore(try MappedFile(path: path))
    return try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      switch store.withBytes({ KerasFile.outerFormat(of: $0) }) {
      case .zip: try KerasArchitecture(KerasArchive(store, path: path))
      case .hdf5: try KerasArchitecture(HDF5File(store, path: path), layerNames)
      case nil:
        try KerasArchitecture(text: store.withBytes { $0.copied(0..<$0.byteCount) }, layerNames)
      }
    }
  }

  private init(_ archive: KerasArchive) throws(WeighbridgeError) {
    version = archive.version
    backend = nil
    model = try archive.model()
  }

  private init(_ file: HDF5File, _ layerNames: [String]?) throws(WeighbridgeError) {
    let reader = KerasFileReader(file: file)
    guard let root = try reader.weightsRoot() else { throw Self.weightsOnlyError }
    version = try reader.version(root)
    backend = try reader.string("backend", of: root)
    let ownNames = try KerasWeightReader(file: file, root: root).layerNames()
    guard let model = try reader.model(version, layerNames: layerNames ?? ownNames) else {
      throw Self.weightsOnlyError
    }
    self.model = model
  }

  private static let weightsOnlyError = WeighbridgeError(
    .malformed, "has weights only: it has no model_config attribute with the architecture")

  private init(text: [UInt8], _ layerNames: [String]?) throws(WeighbridgeError) {
    let json = try Self.json(text)
    guard json.object?["modelTopology"] == nil else {
      throw .unsupported(
        "is a model of TensorFlow.js, which has weights of its own: give it as the model; an "
          + "architecture is the output of to_json, or an .h5 or .keras")
    }
    var version: KerasVersion?
    if let text = try Self.string("keras_version", json) {
      version = try KerasVersion(checking: text)
    }
    self.version = version
    backend = try Self.string("backend", json)
    try KerasGeneration.check(version)
    model = try KerasModelRecord(parsing: json, layerNames: layerNames)
  }

  private static func string(
    _ key: String, _ json: JSONValue
  ) throws(WeighbridgeError) -> String? {
    try JSONReader(json, place: "").optional(key)?.string()
  }

  /// Whether a file begins like a `to_json` or `to_yaml` text.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    recognizes(bytes.copied(0..<min(bytes.byteCount, 4096)))
  }

  /// Whether a text begins like a `to_json` text, which may be inside a JSON string.
  package static func recognizes(_ text: [UInt8]) -> Bool {
    let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "\"") || isYAML(text)
  }

  /// Parses what `json.dump(model.to_json(), file)` wrote into a string.
  private static func json(inString text: String) throws(WeighbridgeError) -> JSONValue {
    let value: JSONValue
    do throws(WeighbridgeError) {
      value = try JSONValue(parsing: Array(text.utf8))
    } catch {
      // The byte offset is relative to the string.
      var prefix = ""
      if case .byte(let offset) = error.place.position { prefix = "byte \(offset): " }
      throw WeighbridgeError(
        error.code, "is a JSON string whose text is not JSON: \(prefix)\(error.reason)")
    }
    guard value.object == nil else { return value }
    throw .malformed(
      "is a JSON string that contains \(value.typeName), expected an object")
  }

  /// Parses a `to_json` text, which may be inside a JSON string, or a `to_yaml` text.
  private static func json(_ text: [UInt8]) throws(WeighbridgeError) -> JSONValue {
    let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if first == UInt8(ascii: "{") { return try JSONValue(parsing: text) }
    if first == UInt8(ascii: "\""), let inner = try JSONValue(parsing: text).string {
      return try json(inString: inner)
    }
    if isYAML(text) { return try KerasYAML.json(text) }
    throw .malformed(
      first == nil
        ? "is empty"
        : "is neither JSON (to_json), YAML (to_yaml), HDF5 (.h5) nor a .keras archive, one of which "
          + "is expected")
  }

  /// Whether a text has a line that starts with the key that every `to_yaml` text contains.
  private static func isYAML(_ text: [UInt8]) -> Bool {
    let key = Array("class_name:".utf8)
    if text.starts(with: key) { return true }
    // Keys are sorted: only `backend` comes before it.
    var rest = text.prefix(4096)
    while let end = rest.firstIndex(of: 0x0A) {
      rest = rest[(end + 1)...]
      if rest.starts(with: key) { return true }
    }
    return false
  }
}
