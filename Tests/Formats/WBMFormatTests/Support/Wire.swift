/// Writes protobuf's wire format by hand, including what no library would write.
enum Wire {
  /// An unsigned number in groups of seven bits.
  static func varint(_ value: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var remaining = value
    while remaining >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: remaining) | 0x80)
      remaining >>= 7
    }
    return bytes + [UInt8(remaining)]
  }

  /// A field that holds a number.
  static func number(_ field: UInt64, _ value: UInt64) -> [UInt8] {
    varint(field << 3) + varint(value)
  }

  /// A field that holds a real number.
  static func real(_ field: UInt64, _ value: Double) -> [UInt8] {
    varint(field << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
  }

  /// A field that holds bytes: a string, a message or packed numbers.
  static func bytes(_ field: UInt64, _ value: [UInt8]) -> [UInt8] {
    varint(field << 3 | 2) + varint(UInt64(value.count)) + value
  }

  /// A field that holds a string.
  static func string(_ field: UInt64, _ value: String) -> [UInt8] {
    bytes(field, Array(value.utf8))
  }
}
