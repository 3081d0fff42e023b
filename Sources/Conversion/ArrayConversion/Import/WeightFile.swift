package import Bytes
import ConversionCore
package import GraphIR
import NumPyFormat
import PyTorchFormat
import SafetensorsFormat

/// A file of named weights and nothing else: safetensors, an archive of NumPy arrays, or a state
/// dictionary of PyTorch.
package struct WeightFile: Sendable {
  /// A file format.
  package enum Format: String, Hashable, Sendable {
    case safetensors, npz, pytorch
  }

  /// The file format.
  package let format: Format
  /// The weights in the order of the file, with the axis order of the catalog; views of the mapped
  /// file.
  package let weights: [(name: String, tensor: Tensor)]
  /// The metadata of the file: strings with their keys.
  package let metadata: [(key: String, value: String)]

  /// The size of the file in bytes.
  package let byteCount: Int
  /// The description of the model in the file, without its inputs and outputs.
  package var description: ModelDescription {
    DescriptionEntries.description(metadata, .safetensors)
  }

  /// What the names of the weights reveal about the model.
  package var notes: [String] {
    fileNotes + Self.originNotes(weights.map(\.name), metadata)
  }
  /// What was chosen or left out of the file.
  private var fileNotes: [String] = []

  /// Whether bytes begin like such a file.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    SafetensorsFile.recognizes(bytes) || NumPyFile.recognizesArchive(bytes)
      || PyTorchFile.recognizes(bytes)
  }

  /// Reads everything except the elements.
  ///
  /// - Parameter path: The name of the file in errors.
  /// - Throws: What `SafetensorsFile` and `NumPyFile` throw.
  package init(_ store: ByteStore, path: String) throws(WeighbridgeError) {
    self = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      if store.withBytes({ SafetensorsFile.recognizes($0) }) {
        return try WeightFile(safetensors: store)
      }
      return try store.withBytes { PyTorchFile.recognizes($0) }
        ? WeightFile(pytorch: store) : WeightFile(npz: store)
    }
  }

  private init(safetensors store: ByteStore) throws(WeighbridgeError) {
    let file = try store.withBytes { (bytes) throws(WeighbridgeError) in
      try SafetensorsFile(bytes)
    }
    format = .safetensors
    byteCount = store.count
    metadata = file.metadata
    weights = try file.tensors.map { (record) throws(WeighbridgeError) in
      let tensor = try Tensor(
        record.elementType, shape: record.shape, store: store, range: record.range)
      return (record.name, tensor)
    }
  }

  private init(pytorch store: ByteStore) throws(WeighbridgeError) {
    let file = try PyTorchFile(store)
    format = .pytorch
    byteCount = store.count
    metadata = []
    fileNotes = file.notes
    weights = try file.tensors.map { (entry) throws(WeighbridgeError) in
      let tensor = try Tensor(
        entry.elementType, shape: entry.shape, store: entry.store, range: entry.range)
      return (entry.name, tensor)
    }
  }

  private init(npz store: ByteStore) throws(WeighbridgeError) {
    format = .npz
    byteCount = store.count
    metadata = []
    weights = try NumPyFile.read(store).map { (array) throws(WeighbridgeError) in
      let tensor = try Tensor(
        array.elementType, shape: array.shape, store: array.storage, range: array.range)
      return (array.name, tensor)
    }
  }

  /// What the metadata or the names of the weights say about who wrote them.
  private static func originNotes(
    _ names: [String], _ metadata: [(key: String, value: String)]
  ) -> [String] {
    let frameworks = ["pt": "PyTorch", "tf": "TensorFlow", "flax": "Flax", "np": "NumPy"]
    if let format = metadata.first(where: { $0.key == "format" })?.value,
      let framework = frameworks[format]
    {
      return ["written by \(framework), as the file says"]
    }
    let parts = names.map { $0.split(separator: ".").last ?? "" }
    let isTorch = parts.contains("num_batches_tracked") || parts.contains("running_mean")
    return isTorch ? ["named as PyTorch names weights"] : []
  }
}
