import Bytes
import Digests

/// A table of values under sorted keys in the format of LevelDB, which the index of a tensor bundle
/// is. See LevelDB's `doc/table_format.md`.
package struct SortedTable: Sendable {
  /// A key and where its value is in the file.
  struct Entry {
    let key: [UInt8]
    let value: Range<Int>
  }

  /// The entries in the order of their keys.
  let entries: [Entry]

  private static let magic: UInt64 = 0xDB47_7524_8B80_FB57
  private static let footerByteCount = 48
  /// The largest number of bytes of all keys, which share their beginnings in the file.
  private static let keyByteLimit = 1 << 28

  /// Whether bytes end like a table.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    var cursor = ByteCursor(max(0, bytes.byteCount - 8)..<bytes.byteCount)
    return bytes.byteCount >= footerByteCount && (try? cursor.integer(from: bytes)) == magic
  }

  /// Reads all entries and checks the checksum of each block.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/damaged`` for a wrong
  ///   checksum; ``WeighbridgeError/Code/unsupported`` for compressed blocks;
  ///   ``WeighbridgeError/Code/limitExceeded``.
  init(_ bytes: RawSpan) throws(WeighbridgeError) {
    guard Self.recognizes(bytes) else {
      throw .malformed(
        "does not end as the index of a checkpoint does: it was cut off, or is another file")
    }
    var footer = ByteCursor(bytes.byteCount - Self.footerByteCount..<bytes.byteCount - 8)
    _ = try footer.block(bytes)  // of the filters, which TensorFlow does not write
    var (entries, room): ([Entry], Int) = ([], Self.keyByteLimit)
    let index = try Self.contents(of: footer.block(bytes), bytes)
    for block in try Self.entries(in: index, bytes, &room) {
      var handle = ByteCursor(block.value)
      let contents = try Self.contents(of: handle.block(bytes), bytes)
      for entry in try Self.entries(in: contents, bytes, &room) {
        if let last = entries.last, !last.key.lexicographicallyPrecedes(entry.key) {
          throw .malformed("has keys that are not in ascending order").at(
            .byte(entry.value.lowerBound))
        }
        entries.append(entry)
      }
    }
    self.entries = entries
  }

  /// The range of a block's contents, after its type and checksum, which follow it, are checked.
  private static func contents(
    of range: Range<Int>, _ bytes: RawSpan
  ) throws(WeighbridgeError) -> Range<Int> {
    var trailer = ByteCursor(range.upperBound..<bytes.byteCount)
    let type = try trailer.integer(UInt8.self, from: bytes)
    let stored = try trailer.integer(UInt32.self, from: bytes)
    let checksum = CRC32C(of: bytes.extracting(range.lowerBound..<range.upperBound + 1)).masked
    guard stored == checksum else {
      throw .damaged(
        "is damaged, copy it again: a block has the checksum \(String(stored, radix: 16)), and its "
          + "bytes give \(String(checksum, radix: 16))"
      ).at(.byte(range.upperBound + 1))
    }
    guard type == 0 else {
      throw .unsupported(
        "is compressed with \(type == 1 ? "snappy" : "method \(type)"); checkpoints as TensorFlow "
          + "writes them, without compression, can be read"
      ).at(.byte(range.upperBound))
    }
    return range
  }

  /// The entries of a block. Each key is given by what it shares with the one before it; where it
  /// shares nothing is listed at the end of the block, for searches, and not needed here.
  ///
  /// - Parameter room: The number of bytes that keys may still have.
  private static func entries(
    in block: Range<Int>, _ bytes: RawSpan, _ room: inout Int
  ) throws(WeighbridgeError) -> [Entry] {
    guard block.count >= 4 else {
      throw .malformed("has an empty block").at(.byte(block.lowerBound))
    }
    var end = ByteCursor(block.upperBound - 4..<block.upperBound)
    let restartCount = Int(try end.integer(UInt32.self, from: bytes))
    guard restartCount <= block.count / 4 - 1 else {
      throw .malformed("has a block with \(restartCount) restart points, more than it has room for")
        .at(.byte(block.upperBound - 4))
    }
    var cursor = ByteCursor(block.lowerBound..<block.upperBound - 4 * (restartCount + 1))
    var (entries, key): ([Entry], [UInt8]) = ([], [])
    while cursor.remaining > 0 {
      let start = cursor.offset
      let shared = try cursor.varint(bytes)
      let (rest, size) = (try cursor.varint(bytes), try cursor.varint(bytes))
      guard shared <= key.count else {
        throw .malformed(
          "has a key that shares \(shared) bytes with one of \(key.count), expected at most as many"
        ).at(.byte(start))
      }
      let end = bytes.copied(try cursor.skip(rest, in: bytes))
      room -= shared + rest
      guard room >= 0 else {
        throw .limitExceeded("has names of more than \(keyByteLimit) bytes")
      }
      key = key[..<shared] + end
      entries.append(Entry(key: key, value: try cursor.skip(size, in: bytes)))
    }
    return entries
  }
}

extension ByteCursor {
  /// Reads a variable-length integer that is a size or an offset.
  mutating func varint(_ bytes: RawSpan) throws(WeighbridgeError) -> Int {
    let start = offset
    var value = 0
    for shift in stride(from: 0, to: 63, by: 7) {
      let byte = try integer(UInt8.self, from: bytes)
      value |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw .malformed("has a size that is longer than 63 bits").at(.byte(start))
  }

  /// Reads where a block is: its offset and size.
  fileprivate mutating func block(_ bytes: RawSpan) throws(WeighbridgeError) -> Range<Int> {
    let start = offset
    let (lower, count) = (try varint(bytes), try varint(bytes))
    let upper = try Checked.sum(lower, count, of: "the end of a block")
    // Its type and checksum follow it.
    guard upper <= bytes.byteCount - 5 else {
      throw .malformed("has a block at bytes \(lower) to \(upper), expected before its end")
        .at(.byte(start))
    }
    return lower..<upper
  }
}
