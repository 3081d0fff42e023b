package import Bytes

/// The files with a Keras model, its weights, or both, in one of the formats that Keras writes.
package protocol KerasModelFile: Sendable {
  /// The name of the format, such as `hdf5`.
  var formatName: String { get }
  /// The other files that were read, with the weights or a part of the description.
  var otherFiles: [(path: String, store: ByteStore)] { get }
  /// The size in bytes of the files with the weights.
  var weightByteCount: Int { get }
  /// The version of Keras that wrote the file; `nil` where the file does not give it.
  var version: KerasVersion? { get }
  /// The backend that Keras ran on, such as `tensorflow`.
  var backend: String? { get }
  /// The model; `nil` in a file that has only weights.
  var model: KerasModelRecord? { get }
  /// The metadata that Weighbridge adds to what Keras writes: strings with their keys.
  var customMetadata: [(key: String, value: String)] { get }
  /// The names of the files in which layers store vocabularies, in ascending order.
  var vocabularyNames: [String] { get }
  /// The weights of each layer, in the order of the file, where the file names the layers; otherwise
  /// empty: they follow from the model, see ``weightGroups(of:_:)``.
  var weightGroups: [KerasWeightGroup] { get }
  /// Whether the weights of a layer are in the order in which it takes them, whatever is frozen:
  /// trainable ones first, then the others, each from the outside in.
  var isInOrder: Bool { get }

  /// The weights of each layer of the model that the file belongs to.
  ///
  /// - Parameter parts: The parts of layers, by class.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the file has weights that no layer of the
  ///   model has.
  func weightGroups(
    of model: KerasModelRecord, _ parts: [String: KerasLayerParts]
  ) throws(WeighbridgeError) -> [KerasWeightGroup]

  /// The weights grouped as in the file, independently of a model and without the training state.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for
  ///   weights that are not numeric.
  func listedGroups() throws(WeighbridgeError) -> [KerasWeightGroup]

  /// The lines of a layer's vocabulary, when the file contains it next to the weights.
  ///
  /// - Parameter number: The number of layers of the same class before it in the model.
  func vocabulary(of className: String, _ number: Int) -> [String]?

  /// The location of a weight's bytes: a mapped file, or memory when they must be decoded (which
  /// takes as many bytes as the weight).
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``, ``WeighbridgeError/Code/damaged``,
  ///   ``WeighbridgeError/Code/limitExceeded``.
  func bytes(
    of weight: KerasWeight
  ) throws(WeighbridgeError) -> (store: ByteStore, range: Range<Int>)
}
