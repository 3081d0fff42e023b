import Bytes

/// Reads the little-endian fields of a block of an HDF5 file, from start to end.
///
/// The block is a copy, so that checked data cannot change; slices of it share the copy.
struct Cursor: Sendable {
  private let bytes: [UInt8]
  /// The file offset of the first byte.
  private let origin: Int
  /// The sizes of an address ("size of offsets") and of a size ("size of lengths") in bytes.
  var widths: Widths
  private(set) var position = 0
  private(set) var end: Int

  /// The sizes of a file's addresses and sizes in bytes.
  struct Widths: Hashable, Sendable {
    var offset = 8
    var length = 8
  }

  /// - Parameter origin: The file offset of the bytes.
  init(_ bytes: [UInt8], origin: Int, _ widths: Widths) {
    self.bytes = bytes
    self.origin = origin
    self.widths = widths
    end = bytes.count
  }

  /// The number of bytes not yet read.
  var remaining: Int { end - position }
  /// The file offset of the next byte.
  var fileOffset: Int { origin + position }

  /// Returns an error at a byte of the file, by default the next one.
  func failure(
    _ reason: String, _ code: WeighbridgeError.Code = .malformed, at offset: Int? = nil
  ) -> WeighbridgeError {
    WeighbridgeError(code, reason).at(.byte(offset ?? fileOffset))
  }

  private mutating func take(_ count: Int) throws(WeighbridgeError) -> Int {
    guard count >= 0, count <= remaining else {
      throw failure("has metadata that end too early: \(count) bytes needed, \(remaining) left")
    }
    defer { position += count }
    return position
  }

  mutating func skip(_ count: Int) throws(WeighbridgeError) { _ = try take(count) }

  /// Reads an unsigned integer of 1 to 8 bytes.
  mutating func unsigned(_ byteCount: Int) throws(WeighbridgeError) -> UInt64 {
    let start = try take(byteCount)
    var value: UInt64 = 0
    for index in (start..<start + byteCount).reversed() {
      value = value << 8 | UInt64(bytes[index])
    }
    return value
  }

  /// Reads an unsigned integer of 1 to 8 bytes that must fit an `Int`.
  mutating func count(_ byteCount: Int) throws(WeighbridgeError) -> Int {
    let start = fileOffset
    guard let value = Int(exactly: try unsigned(byteCount)) else {
      throw failure("has a count that is too large", at: start)
    }
    return value
  }

  mutating func byte() throws(WeighbridgeError) -> UInt8 { bytes[try take(1)] }

  /// Reads a size or count in the file's own width.
  mutating func length() throws(WeighbridgeError) -> Int { try count(widths.length) }

  /// Reads an address, relative to the file's base address; `nil` for the undefined address, which
  /// has all bits set.
  mutating func address() throws(WeighbridgeError) -> Int? {
    let start = fileOffset
    let value = try unsigned(widths.offset)
    if value == UInt64.max >> (64 - 8 * UInt64(widths.offset)) { return nil }
    guard let address = Int(exactly: value) else {
      throw failure("has an address beyond any file", at: start)
    }
    return address
  }

  /// Reads an address that must be defined.
  mutating func address(of what: String) throws(WeighbridgeError) -> Int {
    let start = fileOffset
    guard let address = try address() else { throw failure("\(what) has no address", at: start) }
    return address
  }

  /// Reads bytes as an array.
  mutating func bytes(_ count: Int) throws(WeighbridgeError) -> [UInt8] {
    let start = try take(count)
    return Array(bytes[start..<start + count])
  }

  /// Reads bytes as a separate block.
  mutating func slice(_ count: Int) throws(WeighbridgeError) -> Cursor {
    let start = try take(count)
    var slice = self
    (slice.position, slice.end) = (start, start + count)
    return slice
  }

  /// Reads the bytes before the next zero, and the zero.
  mutating func terminatedBytes() throws(WeighbridgeError) -> ArraySlice<UInt8> {
    guard let zero = bytes[position..<end].firstIndex(of: 0) else {
      throw failure("has a name without an end")
    }
    defer { position = zero + 1 }
    return bytes[position..<zero]
  }

  /// Reads and checks the four-letter signature with which most blocks begin.
  mutating func signature(_ letters: StaticString, of what: String) throws(WeighbridgeError) {
    let start = fileOffset
    let isPresent = begins(with: letters)
    try skip(4)
    guard isPresent else {
      throw failure("\(what) does not begin with its signature \(letters)", at: start)
    }
  }

  /// Whether the next four bytes are these letters.
  func begins(with letters: StaticString) -> Bool {
    guard remaining >= 4 else { return false }
    // The letters are constant data of the program.
    return letters.withUTF8Buffer { unsafe bytes[position..<position + 4].elementsEqual($0) }
  }

  /// Reads and checks a version byte.
  mutating func version(
    _ supported: ClosedRange<UInt8>, of what: String
  ) throws(WeighbridgeError) -> UInt8 {
    let start = fileOffset
    let version = try byte()
    guard supported.contains(version) else {
      let range =
        supported.count == 1
        ? "\(supported.lowerBound)" : "\(supported.lowerBound) to \(supported.upperBound)"
      throw failure(
        "\(what) has version \(version); \(range) can be read", .unsupported, at: start)
    }
    return version
  }

  /// Removes the last four bytes of the block, which must be the checksum of those before them.
  mutating func checkChecksum(of what: String) throws(WeighbridgeError) {
    guard remaining >= 4 else { throw failure("\(what) has no room for its checksum") }
    let checksumStart = end - 4
    let computed = Lookup3.checksum(bytes[position..<checksumStart])
    var stored = self
    stored.position = checksumStart
    let expected = UInt32(truncatingIfNeeded: try stored.unsigned(4))
    guard computed == expected else {
      stored.position = checksumStart
      throw stored.failure("\(what) is damaged: \(Lookup3.mismatch(expected, computed))")
    }
    end = checksumStart
  }
}
