/// The checksum of HDF5's metadata: Bob Jenkins's hash function lookup3 (2006), `hashlittle` with
/// the initial value 0.
enum Lookup3 {
  /// Describes a checksum mismatch.
  static func mismatch(_ stored: UInt32, _ computed: UInt32) -> String {
    "its checksum is \(String(stored, radix: 16)), but its bytes give "
      + String(computed, radix: 16)
  }

  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    let start = 0xDEAD_BEEF &+ UInt32(truncatingIfNeeded: bytes.count)
    var (a, b, c) = (start, start, start)
    var index = bytes.startIndex
    while bytes.endIndex - index > 12 {
      a &+= word(bytes, index)
      b &+= word(bytes, index + 4)
      c &+= word(bytes, index + 8)
      mix(&a, &b, &c)
      index += 12
    }
    guard index < bytes.endIndex else { return c }
    a &+= word(bytes, index)
    b &+= word(bytes, index + 4)
    c &+= word(bytes, index + 8)
    finish(&a, &b, &c)
    return c
  }

  /// Returns four bytes as a number; bytes after the end count as zeros.
  private static func word(_ bytes: ArraySlice<UInt8>, _ index: Int) -> UInt32 {
    if index + 4 <= bytes.endIndex {
      return UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8
        | UInt32(bytes[index + 2]) << 16 | UInt32(bytes[index + 3]) << 24
    }
    var word: UInt32 = 0
    for offset in 0..<4 where index + offset < bytes.endIndex {
      word |= UInt32(bytes[index + offset]) << (8 * UInt32(offset))
    }
    return word
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }

  private static func mix(_ a: inout UInt32, _ b: inout UInt32, _ c: inout UInt32) {
    a = (a &- c) ^ rotate(c, 4)
    c = c &+ b
    b = (b &- a) ^ rotate(a, 6)
    a = a &+ c
    c = (c &- b) ^ rotate(b, 8)
    b = b &+ a
    a = (a &- c) ^ rotate(c, 16)
    c = c &+ b
    b = (b &- a) ^ rotate(a, 19)
    a = a &+ c
    c = (c &- b) ^ rotate(b, 4)
    b = b &+ a
  }

  private static func finish(_ a: inout UInt32, _ b: inout UInt32, _ c: inout UInt32) {
    c = (c ^ b) &- rotate(b, 14)
    a = (a ^ c) &- rotate(c, 11)
    b = (b ^ a) &- rotate(a, 25)
    c = (c ^ b) &- rotate(b, 16)
    a = (a ^ c) &- rotate(c, 4)
    b = (b ^ a) &- rotate(a, 14)
    c = (c ^ b) &- rotate(b, 24)
  }
}
