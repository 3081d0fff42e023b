import Bytes
import Synchronization

/// The blocks of a file that were read as object headers. Headers must not share bytes: otherwise a
/// crafted file could make them be read once for each object, which takes quadratic time.
///
/// A block that is read again for the same header is only counted once.
final class HeaderLedger: Sendable {
  private struct Entries {
    /// The address of the header that a block belongs to, by the block's address.
    var owners: [Int: Int] = [:]
    var remainingByteCount: Int
  }

  private let entries: Mutex<Entries>

  /// - Parameter byteCount: The size of the file.
  init(byteCount: Int) { entries = Mutex(Entries(remainingByteCount: byteCount)) }

  /// Counts a block of a header that is about to be read.
  ///
  /// - Parameters:
  ///   - owner: The address of the header.
  ///   - place: The block's offset in the file, for errors.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the block also belongs to another header,
  ///   or when all blocks together are larger than the file.
  func claim(
    _ address: Int, byteCount: Int, for owner: Int, place: Int
  ) throws(WeighbridgeError) {
    let reason = entries.withLock { entries -> String? in
      if let firstOwner = entries.owners[address] {
        return firstOwner == owner ? nil : "the object header shares a block with another one"
      }
      entries.owners[address] = owner
      entries.remainingByteCount -= byteCount
      return entries.remainingByteCount < 0
        ? "the object headers overlap: together they are larger than the file" : nil
    }
    if let reason { throw .malformed(reason).at(.byte(place)) }
  }
}
