import Bytes
import Synchronization

/// The blocks of a file that belong to objects: those of their headers, and the first ones of their
/// stored links and attributes. Objects must not share them: otherwise a crafted file could make
/// them be read once for each object, which takes quadratic time.
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

  /// Assigns a block that is about to be read to an object.
  ///
  /// - Parameters:
  ///   - byteCount: The size of a header's block; 0 for other blocks, whose size is limited where
  ///     they are read.
  ///   - owner: The address of the object's header.
  ///   - what: The structure, for errors.
  ///   - place: The block's offset in the file, for errors.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the block also belongs to another object,
  ///   or when all headers together are larger than the file.
  func claim(
    _ address: Int, byteCount: Int = 0, for owner: Int, of what: String, place: Int
  ) throws(WeighbridgeError) {
    let reason = entries.withLock { entries -> String? in
      if let firstOwner = entries.owners[address] {
        return firstOwner == owner ? nil : "\(what) shares a block with another one"
      }
      entries.owners[address] = owner
      entries.remainingByteCount -= byteCount
      return entries.remainingByteCount < 0
        ? "the object headers overlap: together they are larger than the file" : nil
    }
    if let reason { throw .malformed(reason).at(.byte(place)) }
  }
}
