package import Bytes
import Digests

/// The tensors of a checkpoint: an index, and the files with their bytes, which stay mapped. It is
/// what `tf.train.Checkpoint`, `save_weights` and SavedModel write (`tensor_bundle.proto`).
package struct TensorBundle: Sendable {
  /// A file with the bytes of tensors.
  package struct Shard: Sendable {
    /// The file's path.
    package let path: String
    /// Its bytes.
    package let store: ByteStore
  }

  /// The path of the index.
  package let path: String
  /// The tensors by their names.
  package let tensors: [String: TensorBundleEntry]
  /// The files with the bytes of the tensors.
  package let shards: [Shard]
  /// The parts of tensors that are stored in slices, by their keys.
  let slices: [[UInt8]: TensorBundleEntry]

  /// Whether bytes are those of an index, by how they end.
  package static func recognizes(_ bytes: RawSpan) -> Bool { SortedTable.recognizes(bytes) }

  /// The extension of an index.
  package static let indexExtension = ".index"

  /// Opens a bundle.
  ///
  /// - Parameters:
  ///   - index: The bytes of the index.
  ///   - path: Its path, which the paths of the other files follow from.
  /// - Throws: ``WeighbridgeError/Code/missing`` for a file that is not there;
  ///   ``WeighbridgeError/Code/truncated`` for one that is too short;
  ///   ``WeighbridgeError/Code/damaged`` for a wrong checksum in the index;
  ///   ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported``.
  package init(_ index: ByteStore, path: String) throws(WeighbridgeError) {
    let contents = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try index.withBytes { (bytes) throws(WeighbridgeError) in try TensorBundleIndex(bytes) }
    }
    self.path = path
    tensors = contents.tensors
    slices = contents.slices
    shards = try Self.shards(contents.shardCount, of: path)
    try checkRanges()
  }

  private static func shards(
    _ count: Int, of index: String
  ) throws(WeighbridgeError) -> [Shard] {
    guard index.hasSuffix(indexExtension) else {
      throw .malformed(
        "is the index of a checkpoint, and its name does not end in \(indexExtension), so that the "
          + "files with the tensors cannot be found"
      ).at(file: index)
    }
    let prefix = index.dropLast(indexExtension.count)
    return try (0..<count).map { (number) throws(WeighbridgeError) in
      let path = "\(prefix).data-\(digits(number))-of-\(digits(count))"
      do throws(WeighbridgeError) {
        return Shard(path: path, store: ByteStore(try MappedFile(path: path)))
      } catch {
        throw WeighbridgeError(
          error.code,
          "\(error.reason); it has the tensors of \(index), number \(number + 1) of \(count) files"
        ).at(file: path)
      }
    }
  }

  /// A number with five digits.
  private static func digits(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, 5 - text.count)) + text
  }

  /// Checks that no tensor is past the end of its file, or in the bytes of another one.
  private func checkRanges() throws(WeighbridgeError) {
    let whole = tensors.filter(\.value.slices.isEmpty).map { (name: $0.key, entry: $0.value) }
    let parts = slices.map { (name: String(decoding: $0.key, as: UTF8.self), entry: $0.value) }
    let inOrder = (whole + parts).sorted {
      ($0.entry.shard, $0.entry.range.lowerBound, $0.entry.range.upperBound, $0.name)
        < ($1.entry.shard, $1.entry.range.lowerBound, $1.entry.range.upperBound, $1.name)
    }
    var previous: (name: String, entry: TensorBundleEntry)?
    for (name, entry) in inOrder {
      let shard = shards[entry.shard]
      guard entry.range.upperBound <= shard.store.count else {
        throw .truncated(
          "has \(shard.store.count) bytes, and \(name) is at bytes \(entry.range.lowerBound) to "
            + "\(entry.range.upperBound): it was not copied as a whole, or belongs to another index"
        ).at(file: shard.path)
      }
      if let previous, previous.entry.shard == entry.shard, !entry.range.isEmpty,
        previous.entry.range.upperBound > entry.range.lowerBound
      {
        throw .malformed("says that \(name) has bytes that are those of \(previous.name) too")
          .at(file: path)
      }
      if !entry.range.isEmpty { previous = (name, entry) }
    }
  }
}
