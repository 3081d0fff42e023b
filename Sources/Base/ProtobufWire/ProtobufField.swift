/// Fields of a message that are written by hand.
package enum ProtobufField {
  /// The tag of a field.
  ///
  /// - Parameter wireType: 0, 1, 2 or 5.
  package static func tag(_ number: Int, wireType: UInt8) -> [UInt8] {
    varint(UInt64(number) << 3 | UInt64(wireType))
  }

  /// The tag and the length before a field of bytes.
  package static func head(_ number: Int, byteCount: Int) -> [UInt8] {
    tag(number, wireType: 2) + varint(UInt64(byteCount))
  }

  /// A number of as many bytes as it needs.
  package static func varint(_ number: UInt64) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
