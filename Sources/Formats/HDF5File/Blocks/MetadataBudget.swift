import Bytes
import Synchronization

/// Limits the bytes of metadata that are read from a file in all. Structures that are read again
/// count again: a small crafted file could otherwise have one large structure read for each of many
/// references to it.
final class MetadataBudget: Sendable {
  private let limit: Int
  private let byteCount = Atomic(0)

  init(limit: Int) { self.limit = limit }

  /// The bytes that have been read so far.
  var total: Int { byteCount.load(ordering: .relaxed) }

  /// Counts a block that is about to be read.
  ///
  /// - Parameter offset: The block's offset in the file, for errors.
  func spend(_ byteCount: Int, at offset: Int) throws(WeighbridgeError) {
    let total = self.byteCount.wrappingAdd(byteCount, ordering: .relaxed).newValue
    guard total <= limit else {
      throw .limitExceeded(
        "has metadata that refer to the same blocks again and again: over \(limit) bytes were read, "
          + "which is the limit"
      ).at(.byte(offset))
    }
  }
}
