package import Bytes
package import HDF5File
import JSON

/// A Keras model or its weights, as written by `model.save` and `save_weights` of Keras 1 to 3: an
/// `.h5` file, a `.keras` archive or a `.weights.h5` file. Optimizer state and training settings
/// are not read.
package struct KerasFile: KerasModelFile {
  /// The format of a file.
  package enum Container: String, Hashable, Sendable {
    /// HDF5 with attributes that list the names of layers and weights (`.h5`).
    case legacyHDF5 = "hdf5"
    /// HDF5 with a group for each object, named after classes (`.weights.h5`).
    case weightsHDF5 = "weights hdf5"
    /// A ZIP archive with such weights and the model (`.keras`).
    case archive
  }

  /// The format of the file.
  package let container: Container
  /// The HDF5 file, for its mapped bytes and for weights that must be decoded.
  package let file: HDF5File
  package let version: KerasVersion?
  package let backend: String?
  package let model: KerasModelRecord?
  /// The weights of each layer, in the order of `layer_names`. Empty except in
  /// ``Container/legacyHDF5``.
  package let weightGroups: [KerasWeightGroup]
  package let customMetadata: [(key: String, value: String)]
  /// The lines of the vocabularies that layers store in separate files, by the groups of the layers.
  private let vocabularies: [String: [String]]

  package var formatName: String { container.rawValue }
  package var otherFiles: [(path: String, store: ByteStore)] { [] }
  package var weightByteCount: Int { file.store.count }
  package var isInOrder: Bool { container != .legacyHDF5 }

  /// Whether bytes begin like one of the containers, including files with only weights.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    outerFormat(of: bytes) != nil
  }

  /// The outer format of a file.
  enum OuterFormat { case zip, hdf5 }

  /// The outer format of bytes, recognized by content; `nil` for neither. ZIP comes first: an
  /// uncompressed member may begin exactly where HDF5 allows a file after a user block.
  static func outerFormat(of bytes: RawSpan) -> OuterFormat? {
    if KerasArchive.recognizes(bytes) { return .zip }
    return HDF5File.isHDF5(bytes) ? .hdf5 : nil
  }

  /// Reads a file, whose format is recognized by its content.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing``; ``WeighbridgeError/Code/malformed`` when it is
  ///   neither HDF5 nor an archive, not of Keras, or has weights that no layer lists;
  ///   ``WeighbridgeError/Code/unsupported``; ``WeighbridgeError/Code/limitExceeded``.
  package init(
    path: String, limits: HDF5File.Limits = HDF5File.Limits()
  ) throws(WeighbridgeError) {
    try self.init(ByteStore(try MappedFile(path: path)), path: path, limits: limits)
  }

  /// Reads a file that is already mapped.
  ///
  /// - Throws: As ``init(path:limits:)``.
  package init(
    _ store: ByteStore, path: String, limits: HDF5File.Limits = HDF5File.Limits()
  ) throws(WeighbridgeError) {
    if store.withBytes({ Self.outerFormat(of: $0) }) == .zip {
      self = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
        try KerasFile(KerasArchive(store, path: path), limits)
      }
    } else {
      try self.init(HDF5File(store, path: path, limits: limits))
    }
  }

  private init(_ archive: KerasArchive, _ limits: HDF5File.Limits) throws(WeighbridgeError) {
    container = .archive
    file = try archive.weightsFile(limits)
    version = archive.version
    backend = nil
    model = try archive.model()
    weightGroups = []
    customMetadata = archive.customMetadata
    vocabularies = archive.vocabularies
  }

  private init(_ file: HDF5File) throws(WeighbridgeError) {
    self.file = file
    vocabularies = [:]
    let reader = KerasFileReader(file: file)
    guard let root = try reader.weightsRoot() else {
      (container, version, backend, model, weightGroups) = (.weightsHDF5, nil, nil, nil, [])
      customMetadata = []
      return
    }
    container = .legacyHDF5
    version = try reader.version(root)
    backend = try reader.string("backend", of: root)
    let weights = KerasWeightReader(file: file, root: root)
    let layerNames = try weights.layerNames()
    model = try reader.model(version, layerNames: layerNames)
    weightGroups = try weights.groups(layerNames)
    customMetadata = try KerasCustomMetadata.read(
      reader.string(KerasCustomMetadata.attributeName, of: "/"), of: file)
  }

  /// The weights of each layer of the model that the file belongs to. Except in
  /// ``Container/legacyHDF5``, the layers of a nested model are listed individually with their
  /// paths, `outer/inner/layer`.
  package func weightGroups(
    of model: KerasModelRecord, _ parts: [String: KerasLayerParts]
  ) throws(WeighbridgeError) -> [KerasWeightGroup] {
    guard container != .legacyHDF5 else { return weightGroups }
    var reader = try KerasObjectReader(file, parts, vocabularies: vocabularies)
    return try reader.groups(of: model)
  }

  package func vocabulary(of className: String, _ number: Int) -> [String]? {
    var names = KerasObjectNames()
    for _ in 0..<number { _ = names.next(className) }
    return vocabularies["/layers/\(names.next(className))"]
  }

  package var vocabularyNames: [String] {
    vocabularies.keys.sorted().map(KerasArchive.vocabularyName)
  }

  package func bytes(
    of weight: KerasWeight
  ) throws(WeighbridgeError) -> (store: ByteStore, range: Range<Int>) {
    let dataset = try file.dataset(at: weight.path)
    if case .fileRange(let range) = dataset.storage { return (file.store, range) }
    let contents = try file.contents(of: dataset)
    return (ByteStore(contents), 0..<contents.count)
  }
}
