import Bytes

/// The bytes of an HDF5 file, by the addresses that its structures give.
struct FileBytes: Sendable {
  /// The bytes that the file is in.
  let store: ByteStore
  /// Where in the store the file is.
  let dimension: Range<Int>
  /// What addresses are relative to: the size of the user block.
  var baseAddress = 0
  /// How wide addresses and sizes are.
  var widths = Cursor.Widths()
  /// Which bytes are object headers, as far as they were read.
  let headers: HeaderLedger
  /// The values of any length that were read last.
  let lastCollection = LastCollection()

  /// How large one block of metadata may be that is copied to be read, in bytes.
  private static let blockLimit = 1 << 28

  init(_ store: ByteStore, _ dimension: Range<Int>) {
    self.store = store
    self.dimension = dimension
    headers = HeaderLedger(byteCount: dimension.count)
  }

  /// The size of the file in bytes.
  var count: Int { dimension.count }

  /// Where in the file so many bytes at an address are.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they are not inside the file.
  func range(
    at address: Int, byteCount: Int, of what: String
  ) throws(WeighbridgeError) -> Range<Int> {
    let start = try Checked.sum(baseAddress, address, of: "the address of \(what)")
    let end = try Checked.sum(start, byteCount, of: "the end of \(what)")
    guard end <= count else {
      throw .malformed("\(what) lies at bytes \(start) to \(end) of a file of \(count)")
        .at(.byte(start))
    }
    return start..<end
  }

  /// A copy of a range of the file.
  func copy(_ range: Range<Int>) -> [UInt8] {
    store.withBytes {
      $0.copied(dimension.lowerBound + range.lowerBound..<dimension.lowerBound + range.upperBound)
    }
  }

  /// A block of metadata.
  func block(
    at address: Int, byteCount: Int, of what: String
  ) throws(WeighbridgeError) -> Cursor {
    let range = try range(at: address, byteCount: byteCount, of: what)
    guard byteCount <= Self.blockLimit else {
      throw .limitExceeded("\(what) has \(byteCount) bytes, over the limit of \(Self.blockLimit)")
        .at(.byte(range.lowerBound))
    }
    return Cursor(copy(range), origin: range.lowerBound, widths)
  }

  /// A block of metadata whose last four bytes are its checksum, which is checked and left out.
  func checkedBlock(
    at address: Int, byteCount: Int, of what: String
  ) throws(WeighbridgeError) -> Cursor {
    var block = try block(at: address, byteCount: byteCount, of: what)
    try block.checkChecksum(of: what)
    return block
  }

  /// The first bytes of a block whose size they tell; fewer where the file ends.
  func beginning(
    at address: Int, atMost byteCount: Int, of what: String
  ) throws(WeighbridgeError) -> Cursor {
    let start = try range(at: address, byteCount: 1, of: what).lowerBound
    return Cursor(copy(start..<min(start + byteCount, count)), origin: start, widths)
  }
}
