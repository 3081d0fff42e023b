import Bytes

/// An entry of the central directory, with its ZIP64 sizes if it has any.
struct ZipEntry {
  let flags: UInt16
  let method: UInt16
  let crc: UInt32
  private(set) var compressedByteCount: Int
  private(set) var byteCount: Int
  private(set) var localOffset: Int
  let name: [UInt8]

  /// The name for messages.
  var title: String { String(decoding: name, as: UTF8.self) }

  /// Reads the entry at the cursor.
  init(_ cursor: inout ByteCursor, _ bytes: RawSpan) throws(WeighbridgeError) {
    let start = cursor.offset
    guard try cursor.integer(UInt32.self, from: bytes) == ZipDirectory.centralSignature else {
      throw .malformed("has no directory entry here").at(.byte(start))
    }
    _ = try cursor.skip(4, in: bytes)  // the versions that wrote it and can read it
    flags = try cursor.integer(from: bytes)
    method = try cursor.integer(from: bytes)
    _ = try cursor.skip(4, in: bytes)  // time and date
    crc = try cursor.integer(from: bytes)
    let sizes = (
      try cursor.integer(UInt32.self, from: bytes), try cursor.integer(UInt32.self, from: bytes)
    )
    let nameLength = Int(try cursor.integer(UInt16.self, from: bytes))
    let extraLength = Int(try cursor.integer(UInt16.self, from: bytes))
    let commentLength = Int(try cursor.integer(UInt16.self, from: bytes))
    _ = try cursor.skip(8, in: bytes)  // disk and attributes
    let offset = try cursor.integer(UInt32.self, from: bytes)
    name = try cursor.bytes(nameLength, from: bytes)
    compressedByteCount = Int(sizes.0)
    byteCount = Int(sizes.1)
    localOffset = Int(offset)
    let extra = try cursor.skip(extraLength, in: bytes)
    if sizes.0 == .max || sizes.1 == .max || offset == .max {
      try readZIP64Sizes(extra, bytes)
    }
    _ = try cursor.skip(commentLength, in: bytes)
  }

  /// Reads the extra field 1, which contains the sizes that are too large for 32 bits.
  private mutating func readZIP64Sizes(
    _ extra: Range<Int>, _ bytes: RawSpan
  ) throws(WeighbridgeError) {
    var cursor = ByteCursor(extra)
    while cursor.remaining > 0 {
      let kind = try cursor.integer(UInt16.self, from: bytes)
      let length = Int(try cursor.integer(UInt16.self, from: bytes))
      let field = try cursor.skip(length, in: bytes)
      guard kind == 1 else { continue }
      var values = ByteCursor(field)
      for size in [\ZipEntry.byteCount, \.compressedByteCount, \.localOffset]
      where self[keyPath: size] == Int(UInt32.max) {
        self[keyPath: size] = try Checked.count(
          values.integer(UInt64.self, from: bytes), of: "a size of member \(title)")
      }
      return
    }
    throw .malformed("member \(title) lacks its large (ZIP64) sizes").at(.byte(extra.lowerBound))
  }

  /// The offset of the member's bytes, after its local header.
  ///
  /// - Parameter end: The offset of the directory, which follows all members.
  func dataStart(_ bytes: RawSpan, end: Int) throws(WeighbridgeError) -> Int {
    guard localOffset <= end else {
      throw .malformed("is said to be at \(localOffset), after the directory")
    }
    var cursor = ByteCursor(localOffset..<end)
    guard try cursor.integer(UInt32.self, from: bytes) == ZipDirectory.localSignature else {
      throw .malformed("is not at \(localOffset), where the directory says")
    }
    _ = try cursor.skip(4, in: bytes)  // version and flags
    let localMethod = try cursor.integer(UInt16.self, from: bytes)
    _ = try cursor.skip(16, in: bytes)  // time, date, checksum, sizes: the directory has them
    let nameLength = Int(try cursor.integer(UInt16.self, from: bytes))
    let extraLength = Int(try cursor.integer(UInt16.self, from: bytes))
    guard try cursor.bytes(nameLength, from: bytes) == name, localMethod == method else {
      throw .malformed(
        "has another name or method in its own header than in "
          + "the directory; they must agree")
    }
    _ = try cursor.skip(extraLength, in: bytes)
    return cursor.offset
  }
}
