import Bytes

/// The bytes of an HDF5 file, accessed by the addresses in its structures.
struct FileBytes: Sendable {
  /// The bytes that contain the file.
  let store: ByteStore
  /// The file's range in the store.
  let byteRange: Range<Int>
  /// The offset to which addresses are relative: the size of the user block.
  var baseAddress = 0
  /// The sizes of addresses and sizes in bytes.
  var widths = Cursor.Widths()
  /// The byte ranges that were read as object headers so far.
  let headers: HeaderLedger
  /// The collections of variable-length values: the ranges of the objects by number.
  let collections = RecentValues<[Int: Range<Int>]>(limit: 1 << 22) { 64 * (1 + $0.count) }
  /// The bytes of metadata that were read so far.
  let metadata: MetadataBudget

  /// The largest size of a block of metadata that is copied to be read, in bytes.
  private static let blockLimit = 1 << 28

  init(_ store: ByteStore, _ byteRange: Range<Int>, _ limits: HDF5File.Limits) {
    self.store = store
    self.byteRange = byteRange
    headers = HeaderLedger(byteCount: byteRange.count)
    metadata = MetadataBudget(limit: limits.metadataByteCount(ofFileWith: byteRange.count))
  }

  /// The size of the file in bytes.
  var count: Int { byteRange.count }

  /// Returns the file range of bytes at an address.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they are not inside the file.
  func range(
    at address: Int, byteCount: Int, of what: String
  ) throws(WeighbridgeError) -> Range<Int> {
    let start = try Checked.sum(baseAddress, address, of: "the address of \(what)")
    let end = try Checked.sum(start, byteCount, of: "the end of \(what)")
    guard end <= count else {
      throw .malformed(
        "\(what) is at bytes \(start) to \(end), beyond the end of the file at \(count)"
      ).at(.byte(start))
    }
    return start..<end
  }

  /// Copies a range of the file.
  func copy(_ range: Range<Int>) -> [UInt8] {
    store.withBytes {
      $0.copied(byteRange.lowerBound + range.lowerBound..<byteRange.lowerBound + range.upperBound)
    }
  }

  /// Reads a block of metadata.
  func block(
    at address: Int, byteCount: Int, of what: String
  ) throws(WeighbridgeError) -> Cursor {
    let range = try range(at: address, byteCount: byteCount, of: what)
    guard byteCount <= Self.blockLimit else {
      throw .limitExceeded("\(what) has \(byteCount) bytes, over the limit of \(Self.blockLimit)")
        .at(.byte(range.lowerBound))
    }
    try metadata.spend(byteCount, at: range.lowerBound)
    return Cursor(copy(range), origin: range.lowerBound, widths)
  }

  /// Reads a block of metadata that ends with a checksum of four bytes, which is checked and
  /// removed.
  func checkedBlock(
    at address: Int, byteCount: Int, of what: String
  ) throws(WeighbridgeError) -> Cursor {
    var block = try block(at: address, byteCount: byteCount, of: what)
    try block.checkChecksum(of: what)
    return block
  }

  /// Reads the first bytes of a block that contains its own size, or fewer at the end of the file.
  func beginning(
    at address: Int, atMost byteCount: Int, of what: String
  ) throws(WeighbridgeError) -> Cursor {
    let start = try range(at: address, byteCount: 1, of: what).lowerBound
    let end = min(start + byteCount, count)
    try metadata.spend(end - start, at: start)
    return Cursor(copy(start..<end), origin: start, widths)
  }
}
