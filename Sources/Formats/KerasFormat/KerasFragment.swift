package import Bytes
import HDF5File
import JSON
import ZipArchive

/// The readable contents of a file that ``KerasFile`` rejects.
package struct KerasFragment: Sendable {
  /// A layer as described in its file.
  package struct Layer: Sendable {
    /// The name, prefixed with those of the enclosing models: `outer/inner/layer`.
    package let name: String
    /// The class as written.
    package let className: String
    /// The names of the layers whose outputs it reads.
    package let inputs: [String]
    /// The shape of the input with the batch axis, where the file states it; `nil` for dynamic
    /// sizes.
    package let inputShape: [Int?]?
  }

  /// The format of the file.
  package let container: KerasFile.Container
  /// The version of Keras that wrote the file, as stated there.
  package private(set) var version: String?
  /// The backend that Keras ran on.
  package private(set) var backend: String?
  /// The model, where it is valid; `nil` also for generations of Keras whose layers may have other
  /// meanings.
  package private(set) var model: KerasModelRecord?
  /// The layers when ``model`` is `nil`.
  package private(set) var layers: [Layer] = []
  /// The arrays of numbers, with their paths below the group of the weights.
  package private(set) var weights: [(name: String, elementType: ElementType, shape: [Int])] = []

  /// Reads as much of a file as possible.
  ///
  /// - Returns: `nil` for a file that Keras did not write, or in which neither a layer nor a weight
  ///   can be read.
  package init?(_ store: ByteStore, path: String) {
    switch store.withBytes({ KerasFile.outerFormat(of: $0) }) {
    case .hdf5:
      guard let file = try? HDF5File(store, path: path),
        (try? KerasFileReader(file: file).isKeras()) == true
      else { return nil }
      self.init(file)
    case .zip:
      let directory = store.withBytes { try? ZipDirectory($0, memberLimit: 1 << 16) }
      guard let directory else { return nil }
      self.init(directory, store, path: path)
    case nil: return nil
    }
    if model == nil, layers.isEmpty, weights.isEmpty { return nil }
  }

  private init(_ file: HDF5File) {
    let reader = KerasFileReader(file: file)
    let hasGroup = (try? file.exists("/model_weights")) == true
    let root = hasGroup ? "/model_weights" : "/"
    container = (try? reader.weightsRoot()) == .some(nil) ? .weightsHDF5 : .legacyHDF5
    version = (try? reader.string("keras_version", of: root)) ?? nil
    backend = (try? reader.string("backend", of: root)) ?? nil
    if let text = (try? reader.string("model_config", of: "/")) ?? nil {
      let names = try? KerasWeightReader(file: file, root: root).layerNames()
      readModel(Array(text.utf8), layerNames: names)
    }
    readWeights(of: file, below: root)
  }

  private init(_ directory: ZipDirectory, _ store: ByteStore, path: String) {
    container = .archive
    var memory = 1 << 31
    func contents(_ name: String) -> (ByteStore, Range<Int>)? {
      guard let member = directory.members.first(where: { $0.name == name }) else { return nil }
      return try? ZipReader.contents(of: member, in: store, memory: &memory)
    }
    func bytes(of name: String) -> [UInt8]? {
      contents(name).map { store, range in store.withBytes { $0.copied(range) } }
    }
    let metadata = bytes(of: KerasArchive.metadataName).flatMap { JSONValue(fragmentOf: $0) }
    version = metadata?.object?["keras_version"]?.string
    if let text = bytes(of: KerasArchive.configName) { readModel(text, layerNames: nil) }
    if let (store, range) = contents(KerasArchive.weightsName),
      let file = try? HDF5File(store, byteRange: range, path: path)
    {
      readWeights(of: file, below: "/")
    }
  }

  private mutating func readModel(_ text: [UInt8], layerNames: [String]?) {
    if let json = try? JSONValue(parsing: text),
      (try? KerasGeneration.check(version.flatMap(KerasVersion.init))) != nil,
      let model = try? KerasModelRecord(parsing: json, layerNames: layerNames)
    {
      self.model = model
    } else if let json = JSONValue(fragmentOf: text)?.object {
      addLayers(json["config"] ?? .null, path: "", depth: 0)
    }
  }

  /// Adds the layers in a model's settings.
  private mutating func addLayers(_ config: JSONValue, path: String, depth: Int) {
    guard depth < 32 else { return }
    for layer in config.array ?? config.object?["layers"]?.array ?? [] {
      guard let object = layer.object else { continue }
      let settings = object["config"] ?? .null
      let name = object["name"]?.string ?? settings.object?["name"]?.string ?? ""
      let shape = settings.object?["batch_input_shape"] ?? settings.object?["batch_shape"]
      layers.append(
        Layer(
          name: path + name, className: object["class_name"]?.string ?? "",
          inputs: Self.references(in: object["inbound_nodes"] ?? .null).map { path + $0 },
          inputShape: shape?.array?.map(\.integer)))
      addLayers(settings, path: "\(path)\(name)/", depth: depth + 1)
    }
  }

  /// The layers that calls refer to. In all generations of Keras, a reference is a string followed
  /// by two numbers.
  private static func references(in value: JSONValue) -> [String] {
    if let elements = value.array {
      if elements.count >= 3, let name = elements[0].string, elements[1].integer != nil {
        return [name]
      }
      return elements.flatMap(references)
    }
    guard let object = value.object else { return [] }
    return object.keys.flatMap { references(in: object[$0] ?? .null) }
  }

  private mutating func readWeights(of file: HDF5File, below root: String) {
    let prefix = root == "/" ? root : "\(root)/"
    for member in (try? file.members(below: root)) ?? [] where member.kind == .dataset {
      let parts = member.path.dropFirst(prefix.count).split(separator: "/").map(String.init)
      guard !parts.contains(where: KerasObjectTree.trainingGroups.contains),
        parts.first != "optimizer_weights", let dataset = try? file.dataset(at: member.path)
      else { continue }
      weights.append((parts.joined(separator: "/"), dataset.elementType, dataset.shape))
    }
  }
}
