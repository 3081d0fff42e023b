import Bytes

/// The records at the end of a ZIP archive, which locate its directory.
struct ZipEnd {
  private static let byteCount = 22
  private static let locatorSignature: UInt32 = 0x0706_4B50
  private static let locatorByteCount = 20
  private static let end64Signature: UInt32 = 0x0606_4B50

  private(set) var memberCount: Int
  private(set) var directory: Range<Int>

  init(_ bytes: RawSpan) throws(WeighbridgeError) {
    let start = try Self.find(bytes)
    var cursor = ByteCursor(start + 4..<bytes.byteCount)
    let disks = try cursor.integer(UInt32.self, from: bytes)
    let diskMemberCount = try cursor.integer(UInt16.self, from: bytes)
    let count = try cursor.integer(UInt16.self, from: bytes)
    let size = try cursor.integer(UInt32.self, from: bytes)
    let offset = try cursor.integer(UInt32.self, from: bytes)
    memberCount = Int(count)
    directory = 0..<0
    if count == .max || size == .max || offset == .max {
      try read64(bytes, before: start)
    } else {
      guard disks == 0, diskMemberCount == count else { throw Self.severalDisks }
      let isFollowedBy64 =
        Int(offset) + Int(size) != start && Self.hasLocator(bytes, before: start)
      guard isFollowedBy64 else {
        try setDirectory(offset: UInt64(offset), size: UInt64(size), end: start)
        return
      }
      // Some writers, such as PyTorch's, always add the records of a large archive.
      try read64(bytes, before: start)
      guard memberCount == Int(count), directory == Int(offset)..<Int(offset) + Int(size) else {
        throw .malformed(
          "has \(count) members from \(offset) on by one end record, and \(memberCount) from "
            + "\(directory.lowerBound) on by the other, expected the same")
      }
    }
  }

  private static func hasLocator(_ bytes: RawSpan, before start: Int) -> Bool {
    guard start >= locatorByteCount else { return false }
    var locator = ByteCursor(start - locatorByteCount..<start)
    return (try? locator.integer(UInt32.self, from: bytes)) == locatorSignature
  }

  /// The offset of the end record: the last one whose comment ends exactly with the file.
  private static func find(_ bytes: RawSpan) throws(WeighbridgeError) -> Int {
    let lastStart = bytes.byteCount - byteCount
    for start in stride(from: lastStart, through: max(0, lastStart - Int(UInt16.max)), by: -1) {
      guard bytes[byte: start] == 0x50 else { continue }
      var cursor = ByteCursor(start..<bytes.byteCount)
      guard try cursor.integer(UInt32.self, from: bytes) == ZipDirectory.endSignature else {
        continue
      }
      _ = try cursor.skip(16, in: bytes)
      let commentLength = try cursor.integer(UInt16.self, from: bytes)
      if Int(commentLength) == cursor.remaining { return start }
    }
    throw .malformed("is a truncated ZIP archive: it has no end record")
  }

  private mutating func read64(_ bytes: RawSpan, before start: Int) throws(WeighbridgeError) {
    guard start >= Self.locatorByteCount else { throw Self.missing64 }
    var locator = ByteCursor(start - Self.locatorByteCount..<start)
    guard try locator.integer(UInt32.self, from: bytes) == Self.locatorSignature else {
      throw Self.missing64
    }
    let disk = try locator.integer(UInt32.self, from: bytes)
    let endOffset = try locator.integer(UInt64.self, from: bytes)
    let diskCount = try locator.integer(UInt32.self, from: bytes)
    guard disk == 0, diskCount <= 1 else { throw Self.severalDisks }
    let end = try Checked.count(endOffset, of: "the offset of the archive's end")
    guard end <= start - Self.locatorByteCount else { throw Self.missing64 }
    var cursor = ByteCursor(end..<start - Self.locatorByteCount)
    guard try cursor.integer(UInt32.self, from: bytes) == Self.end64Signature else {
      throw Self.missing64
    }
    _ = try cursor.skip(12, in: bytes)  // the record's size and two versions
    let disks = try cursor.integer(UInt64.self, from: bytes)
    let diskMemberCount = try cursor.integer(UInt64.self, from: bytes)
    let count = try cursor.integer(UInt64.self, from: bytes)
    guard disks == 0, diskMemberCount == count else { throw Self.severalDisks }
    memberCount = try Checked.count(count, of: "the number of members")
    let size = try cursor.integer(UInt64.self, from: bytes)
    let offset = try cursor.integer(UInt64.self, from: bytes)
    try setDirectory(offset: offset, size: size, end: end)
  }

  private mutating func setDirectory(
    offset: UInt64, size: UInt64, end: Int
  ) throws(WeighbridgeError) {
    let offset = try Checked.count(offset, of: "the offset of the directory")
    let size = try Checked.count(size, of: "the size of the directory")
    guard offset <= end, size == end - offset else {
      throw .malformed(
        "has a directory of \(size) bytes at \(offset), but the archive's end is at \(end)")
    }
    directory = offset..<offset + size
  }

  private static let severalDisks = WeighbridgeError(
    .unsupported, "is one part of an archive that spans several files; join them first")
  private static let missing64 = WeighbridgeError(
    .malformed, "lacks the records of a large (ZIP64) archive")
}
