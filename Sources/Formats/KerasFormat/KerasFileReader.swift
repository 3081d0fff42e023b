import Bytes
import HDF5File
import JSON

/// Reads the contents of a Keras file other than the weights.
struct KerasFileReader {
  let file: HDF5File

  /// The group whose members are the layers' weights; `nil` for the newer layout.
  ///
  /// - Throws: An error that says what the file is instead, when it is not a Keras file.
  func weightsRoot() throws(WeighbridgeError) -> String? {
    if try file.hasAttribute("model_config", of: "/") {
      guard try file.exists("/model_weights") else {
        throw .malformed("has a model_config attribute, but no group /model_weights")
          .at(file: file.path)
      }
      return "/model_weights"
    }
    for name in ["layer_names", "layer_names0"] where try file.hasAttribute(name, of: "/") {
      return "/"
    }
    let members = try file.group(at: "/").members.map(\.name)
    if members.contains(where: KerasObjectTree.isLayers) { return nil }
    throw try notKerasError()
  }

  /// Whether the file contains something that only Keras writes.
  func isKeras() throws(WeighbridgeError) -> Bool {
    for name in ["model_config", "layer_names", "layer_names0"]
    where try file.hasAttribute(name, of: "/") { return true }
    return try file.group(at: "/").members.contains { KerasObjectTree.isLayers($0.name) }
  }

  /// The version, which is at the root; in older files, also or only at the weights.
  func version(_ root: String) throws(WeighbridgeError) -> KerasVersion? {
    guard let text = try string("keras_version", of: root) else { return nil }
    return try locating({ $0.at(file: file.path) }) { () throws(WeighbridgeError) in
      try KerasVersion(checking: text)
    }
  }

  /// A string attribute of the file or of its weights.
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

  /// The model, if the file contains one.
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
        // The byte offset is relative to the attribute.
        guard case .byte(let offset) = error.place.position else { throw error }
        throw WeighbridgeError(error.code, "model_config, byte \(offset): \(error.reason)")
      }
    }
  }
}

/// The generations of Keras whose models can be read.
enum KerasGeneration {
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for Keras 4 and later, whose layers may have
  ///   other meanings under the same names.
  static func check(_ version: KerasVersion?) throws(WeighbridgeError) {
    guard let version, version.major > 3 else { return }
    throw .unsupported("was written by Keras \(version); models of Keras 1 to 3 can be read")
  }
}

extension KerasFileReader {
  /// The error for an HDF5 file that Keras did not write: its origin, when it is recognized, and
  /// its contents.
  func notKerasError() throws(WeighbridgeError) -> WeighbridgeError {
    let origin = try origin().map { "; it is \($0)" } ?? ""
    return .malformed(
      "is an HDF5 file, but not one that Keras wrote: it has no model_config and no layer_names "
        + "attribute\(origin); it has: \(try contents())"
    ).at(file: file.path)
  }

  /// The attributes by which files of other programs are recognized, and what such a file is.
  private static let originAttributes = [
    ("PYTABLES_FORMAT_VERSION", "a pandas or PyTables table"), ("_NCProperties", "netCDF data"),
    ("encoding-type", "AnnData data"),
  ]

  private func origin() throws(WeighbridgeError) -> String? {
    let matlab = Array("MATLAB ".utf8)
    let isMatlab = file.store.withBytes { bytes in
      bytes.byteCount >= matlab.count && bytes.copied(0..<matlab.count) == matlab
    }
    if isMatlab { return "a MATLAB file" }
    for (attribute, origin) in Self.originAttributes
    where try file.hasAttribute(attribute, of: "/") {
      return origin
    }
    return nil
  }

  /// The first leaves of the file: datasets with their types, and empty groups.
  private func contents() throws(WeighbridgeError) -> String {
    let members = try file.members(below: "/")
    let parents = Set(
      members.map { String($0.path[..<($0.path.lastIndex(of: "/") ?? $0.path.startIndex)]) })
    var names: [String] = []
    for member in members where !parents.contains(member.path) {
      guard names.count < 10 else { return names.joined(separator: ", ") + ", ..." }
      // Strings and tables have no number type.
      let dataset = member.kind == .dataset ? try? file.dataset(at: member.path) : nil
      names.append(
        member.path.dropFirst() + (dataset.map { " \($0.elementType) \($0.shape)" } ?? ""))
    }
    return names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }
}
