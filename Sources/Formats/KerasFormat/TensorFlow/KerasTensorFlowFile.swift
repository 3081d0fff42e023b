package import Bytes
package import TensorFlowFormat

/// The files that Keras writes by means of TensorFlow: a SavedModel, or a checkpoint of
/// `save_weights`.
package struct KerasTensorFlowFile: KerasModelFile {
  /// The format of the files.
  package enum Container: String, Hashable, Sendable {
    /// A folder with `saved_model.pb` and the folder `variables`.
    case savedModel = "savedmodel"
    /// An index of tensors, and the files with their bytes.
    case checkpoint
  }

  /// The format of the files.
  package let container: Container
  package let otherFiles: [(path: String, store: ByteStore)]
  package let version: KerasVersion?
  package let backend: String?
  package let model: KerasModelRecord?
  /// The tensors.
  package let bundle: TensorBundle
  /// The objects with the tensors; `nil` in a checkpoint of TensorFlow 1, which has names only.
  let graph: ObjectGraph?
  /// The lookup tables of a SavedModel.
  private let tables: SavedTables?

  package var formatName: String { container.rawValue }
  package var customMetadata: [(key: String, value: String)] { [] }
  package var vocabularyNames: [String] { [] }
  package var weightGroups: [KerasWeightGroup] { [] }
  package var weightByteCount: Int { bundle.shards.reduce(0) { $0 + $1.store.count } }
  // A SavedModel lists the variables of each layer as Keras does.
  package var isInOrder: Bool { container == .checkpoint }

  /// Whether bytes are those of `saved_model.pb` or of the index of a checkpoint.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    SavedModelFile.recognizes(bytes) || TensorBundle.recognizes(bytes)
  }

  /// Opens the files.
  ///
  /// - Parameters:
  ///   - store: `saved_model.pb` or the index.
  ///   - path: The path of that file, from which those of the others follow.
  /// - Throws: What ``TensorBundle`` throws; ``WeighbridgeError/Code/missing`` for a SavedModel that
  ///   lacks a part; ``WeighbridgeError/Code/unsupported`` for one of something other than a Keras
  ///   model with a list of layers; ``WeighbridgeError/Code/malformed``.
  package init(_ store: ByteStore, path: String) throws(WeighbridgeError) {
    guard store.withBytes({ SavedModelFile.recognizes($0) }) else {
      container = .checkpoint
      (version, backend, model) = (nil, nil, nil)
      bundle = try TensorBundle(store, path: path)
      graph = try ObjectGraph(bundle)
      tables = nil
      otherFiles = bundle.shards.map { ($0.path, $0.store) }
      return
    }
    container = .savedModel
    let saved = try KerasSavedModel(store, path: path)
    (version, backend, model) = (saved.version, saved.backend, saved.model)
    (bundle, tables) = (saved.bundle, saved.tables)
    graph = try ObjectGraph(bundle)
    otherFiles = saved.otherFiles + bundle.shards.map { ($0.path, $0.store) }
  }

  /// Opens the tensors of a SavedModel whose model cannot be read, in order to list them.
  ///
  /// - Parameter path: The path of `saved_model.pb`.
  /// - Returns: `nil` where there are none.
  package init?(tensorsOfSavedModel path: String) {
    let index = KerasSavedModel.index(of: path)
    guard let file = try? MappedFile(path: index),
      let bundle = try? TensorBundle(ByteStore(file), path: index)
    else { return nil }
    container = .savedModel
    (version, backend, model, graph, tables) = (nil, nil, nil, nil, nil)
    self.bundle = bundle
    otherFiles = bundle.shards.map { ($0.path, $0.store) }
  }

  package func weightGroups(
    of model: KerasModelRecord, _ parts: [String: KerasLayerParts]
  ) throws(WeighbridgeError) -> [KerasWeightGroup] {
    try locating({ $0.at(file: bundle.path) }) { () throws(WeighbridgeError) in
      guard let graph else { return try KerasNamedVariables(bundle).groups(of: model) }
      var reader = KerasCheckpointReader(graph, bundle, parts, tables)
      return try reader.groups(of: model)
    }
  }

  package func vocabulary(of className: String, _ number: Int) -> [String]? { nil }

  package func bytes(
    of weight: KerasWeight
  ) throws(WeighbridgeError) -> (store: ByteStore, range: Range<Int>) {
    try bundle.bytes(of: weight.path)
  }
}

extension KerasTensorFlowFile {
  package func listedGroups() throws(WeighbridgeError) -> [KerasWeightGroup] {
    var names: [String] = []
    var groups: [String: [KerasWeight]] = [:]
    for (key, tensor) in bundle.tensors.sorted(by: { $0.key < $1.key }) {
      guard let type = tensor.type.elementType, !Self.isTrainingState(key) else { continue }
      let name =
        key.hasSuffix(Self.valueSuffix) ? String(key.dropLast(Self.valueSuffix.count)) : key
      let parts = name.split(separator: "/").map(String.init)
      let object = parts.dropLast().joined(separator: "/")
      if groups[object] == nil { names.append(object) }
      groups[object, default: []].append(
        KerasWeight(
          name: name, localName: parts.last ?? "", path: key, elementType: type, shape: tensor.shape
        ))
    }
    return names.map { KerasWeightGroup(layerName: $0, weights: groups[$0] ?? []) }
  }

  private static let valueSuffix = "/.ATTRIBUTES/VARIABLE_VALUE"

  /// Whether a tensor is kept for training only.
  private static func isTrainingState(_ key: String) -> Bool {
    key.contains("/.OPTIMIZER_SLOT/")
      || key.split(separator: "/").contains {
        KerasCheckpointReader.otherNames.contains(String($0))
      }
  }
}
