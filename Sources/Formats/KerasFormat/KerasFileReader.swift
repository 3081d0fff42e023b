import Bytes
import HDF5File
import JSON

/// Reads what stands beside the weights in a Keras file.
struct KerasFileReader {
  let file: HDF5File

  /// The group whose members are the layers' weights; `nil` when they are in the newer layout.
  ///
  /// - Throws: An error that says what the file is instead, when it is not Keras'.
  func weightsRoot() throws(WeighbridgeError) -> String? {
    if try file.hasAttribute("model_config", of: "/") {
      guard try file.exists("/model_weights") else {
        throw .malformed(
          "has a model_config attribute, but no group /model_weights"
        ).at(file: file.path)
      }
      return "/model_weights"
    }
    for name in ["layer_names", "layer_names0"] where try file.hasAttribute(name, of: "/") {
      return "/"
    }
    let members = try file.group(at: "/").members.map(\.name)
    if members.contains(where: KerasObjectTree.isLayers) { return nil }
    throw try stranger()
  }

  /// Whether the file has what only Keras writes.
  func isKeras() throws(WeighbridgeError) -> Bool {
    for name in ["model_config", "layer_names", "layer_names0"]
    where try file.hasAttribute(name, of: "/") { return true }
    return try file.group(at: "/").members.contains { KerasObjectTree.isLayers($0.name) }
  }

  /// The version, which stands at the root, in older files at the weights too or only.
  func version(_ root: String) throws(WeighbridgeError) -> KerasVersion? {
    guard let text = try string("keras_version", of: root) else { return nil }
    return try locating({ $0.at(file: file.path) }) { () throws(WeighbridgeError) in
      try KerasVersion(checking: text)
    }
  }

  /// A text attribute of the file or of its weights.
  func string(_ name: String, of root: String) throws(WeighbridgeError) -> String? {
    for path in root == "/" ? ["/"] : ["/", root] {
      guard let attribute = try file.attribute(name, of: path) else { continue }
      guard let text = attribute.string else {
        throw .malformed("attribute \"\(name)\" is not one string")
          .at(.path(path)).at(file: file.path)
      }
      return text
    }
    return nil
  }

  /// The model, if the file has one.
  func model(
    _ version: KerasVersion?, layerNames: [String]
  ) throws(WeighbridgeError) -> KerasModelRecord? {
    guard let text = try string("model_config", of: "/") else { return nil }
    return try locating({ $0.at(file: file.path) }) { () throws(WeighbridgeError) in
      try KerasGeneration.check(version)
      do throws(WeighbridgeError) {
        return try KerasModelRecord(
          parsing: JSONValue(parsing: Array(text.utf8)), layerNames: layerNames)
      } catch {
        // A byte offset counts within the attribute.
        guard case .byte(let offset) = error.place.spot else { throw error }
        throw WeighbridgeError(error.code, "model_config, byte \(offset): \(error.reason)")
      }
    }
  }
}

/// The generations of Keras whose models can be read.
enum KerasGeneration {
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for Keras 4 and later, whose layers may mean
  ///   other things under the same names.
  static func check(_ version: KerasVersion?) throws(WeighbridgeError) {
    guard let version, version.major > 3 else { return }
    throw .unsupported("was written by Keras \(version); models of Keras 1 to 3 can be read")
  }
}
