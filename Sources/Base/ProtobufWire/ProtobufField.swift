/// Encodes single fields of a message.
package enum ProtobufField {
  /// The tag of a field.
  ///
  /// - Parameter wireType: One of 0, 1, 2 and 5.
  package static func tag(_ number: Int, wireType: UInt8) -> [UInt8] {
    varint(UInt64(number) << 3 | UInt64(wireType))
  }

  /// The tag and length that precede a field of bytes.
  package static func header(_ number: Int, byteCount: Int) -> [UInt8] {
    tag(number, wireType: 2) + varint(UInt64(byteCount))
  }

  /// A number as a variable-length integer.
  package static func varint(_ number: UInt64) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
