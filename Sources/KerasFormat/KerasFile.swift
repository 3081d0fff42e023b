package import Bytes
package import HDF5File
import JSON

/// A Keras model or its weights in an HDF5 file, as `model.save` and `save_weights` of Keras 1 and 2
/// write it. Optimizer state and training settings are not read.
package struct KerasFile: Sendable {
  /// The HDF5 file, for its mapped bytes and for weights that have to be decoded.
  package let file: HDF5File
  /// The version of Keras that wrote the file; `nil` where the file does not say.
  package let version: KerasVersion?
  /// The backend that Keras ran on, such as `tensorflow`.
  package let backend: String?
  /// The model; `nil` in a file that has only weights.
  package let model: KerasModelRecord?
  /// The weights of each layer, in the order of `layer_names`.
  package let weightGroups: [KerasWeightGroup]

  /// All bytes of the file.
  package var store: ByteStore { file.store }

  /// Reads a file.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing``; ``WeighbridgeError/Code/malformed`` when it is not
  ///   HDF5, not of Keras, or has weights that no layer lists; ``WeighbridgeError/Code/unsupported``
  ///   for what Keras 3 writes; ``WeighbridgeError/Code/limitExceeded``.
  package init(
    path: String, limits: HDF5File.Limits = HDF5File.Limits()
  ) throws(WeighbridgeError) {
    try self.init(HDF5File(path: path, limits: limits))
  }

  /// Reads a file that is open already.
  ///
  /// - Throws: As ``init(path:limits:)``.
  package init(_ file: HDF5File) throws(WeighbridgeError) {
    self.file = file
    let reader = KerasFileReader(file: file)
    let root = try reader.weightsRoot()
    version = try reader.version(root)
    backend = try reader.string("backend", of: root)
    let weights = KerasWeightReader(file: file, root: root)
    let layerNames = try weights.layerNames()
    model = try reader.model(version, layerNames: layerNames)
    weightGroups = try weights.groups(layerNames)
  }

  /// Where a weight's bytes are: the mapped file, or memory when they had to be decoded (which
  /// takes as many bytes as the weight has).
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``.
  package func bytes(
    of weight: KerasWeight
  ) throws(WeighbridgeError) -> (store: ByteStore, range: Range<Int>) {
    if case .fileRange(let range) = weight.dataset.storage { return (store, range) }
    let contents = try file.contents(of: weight.dataset)
    return (ByteStore(contents), 0..<contents.count)
  }
}
