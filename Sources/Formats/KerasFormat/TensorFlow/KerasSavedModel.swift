import Bytes
import JSON
import TensorFlowFormat

/// A SavedModel that Keras wrote: its model, and its tensors.
struct KerasSavedModel {
  let version: KerasVersion?
  let backend: String?
  let model: KerasModelRecord
  let bundle: TensorBundle
  /// The lookup tables, if layers have any.
  let tables: SavedTables?
  /// The files other than `saved_model.pb` and those with the bytes of tensors.
  let otherFiles: [(path: String, store: ByteStore)]

  /// The largest size of a description in bytes.
  private static let metadataLimit = 1 << 28

  init(_ store: ByteStore, path: String) throws(WeighbridgeError) {
    let folder = Self.folder(of: path)
    let saved = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      let file = try store.withBytes { (bytes) throws(WeighbridgeError) in try SavedModelFile(bytes)
      }
      guard file.isKeras else { throw Self.notKerasError(file) }
      return file
    }
    var files: [(path: String, store: ByteStore)] = []
    var (metadata, place) = (saved.kerasMetadata, path)
    if metadata.isEmpty {
      place = folder + KerasMetadataFile.name
      let file = try Self.open(place, "which says what layers the model has")
      metadata = try locating({ $0.at(file: place) }) { () throws(WeighbridgeError) in
        try file.withBytes { (bytes) throws(WeighbridgeError) in try KerasMetadataFile(bytes) }.root
      }
      files.append((place, file))
    }
    (version, backend, model) = try locating({ $0.at(file: place) }) {
      () throws(WeighbridgeError) in
      try Self.model(metadata)
    }
    let hasTables = Self.mentionsTables(metadata)
    tables = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try hasTables
        ? store.withBytes { (bytes) throws(WeighbridgeError) in try SavedTables(bytes) } : nil
    }
    let index = Self.index(of: path)
    let indexStore = try Self.open(index, "which lists the weights")
    bundle = try TensorBundle(indexStore, path: index)
    otherFiles = files + [(index, indexStore)]
  }

  /// The folder of `saved_model.pb`, with a slash at the end.
  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// The index of the tensors of a SavedModel.
  static func index(of path: String) -> String { folder(of: path) + "variables/variables.index" }

  /// Whether a model has layers that look something up.
  private static func mentionsTables(_ metadata: String) -> Bool {
    ["Lookup\"", "\"TextVectorization\""].contains { metadata.contains($0) }
  }

  private static func open(
    _ path: String, _ purpose: String
  ) throws(WeighbridgeError) -> ByteStore {
    do throws(WeighbridgeError) {
      return ByteStore(try MappedFile(path: path))
    } catch {
      throw WeighbridgeError(
        error.code,
        "\(error.reason); it is a part of the SavedModel, \(purpose): copy the folder as a whole"
      ).at(file: path)
    }
  }

  private static func notKerasError(_ file: SavedModelFile) -> WeighbridgeError {
    .unsupported(
      "is a SavedModel without a description by Keras: "
        + (file.identifier == nil
          ? "TensorFlow 1 or an Estimator wrote it"
          : "tf.saved_model.save or model.export wrote it")
        + ", and only its operations are in it; save the model with model.save, or give its .h5")
  }

  /// Reads what Keras says about the model.
  private static func model(
    _ metadata: String
  ) throws(WeighbridgeError) -> (KerasVersion?, String?, KerasModelRecord) {
    guard metadata.utf8.count <= metadataLimit else {
      throw .limitExceeded(
        "describes the model in \(metadata.utf8.count) bytes, over the limit of \(metadataLimit)")
    }
    let root = JSONReader(try JSONValue(parsing: Array(metadata.utf8)).withoutTypes, place: "")
    let className = try root.member("class_name").string()
    guard let config = try root.optional("config")?.value, config.object?["layers"] != nil else {
      throw .unsupported(
        "the model is of class \(className), which keeps no list of layers, so that its code is needed "
          + "to know what it computes; models of class Model, Functional and Sequential can be read"
      )
    }
    let version = try root.optional("keras_version").map { (text) throws(WeighbridgeError) in
      try KerasVersion(checking: text.string())
    }
    let model = try KerasModelRecord(
      parsing: .object(["class_name": .string(className), "config": config]))
    return (version, try root.optional("backend")?.string(), model)
  }
}

extension JSONValue {
  /// The same value with lists in place of tuples and shapes, which a SavedModel names as such and
  /// other files do not.
  fileprivate var withoutTypes: JSONValue {
    switch self {
    case .array(let elements): return .array(elements.map(\.withoutTypes))
    case .object(var members):
      if let name = members["class_name"]?.string, ["__tuple__", "TensorShape"].contains(name),
        members.keys.count == 2, let items = members["items"]
      {
        return items.withoutTypes
      }
      for key in members.keys { members[key] = members[key]?.withoutTypes }
      return .object(members)
    case .null, .bool, .integer, .real, .string: return self
    }
  }
}
