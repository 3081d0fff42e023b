extension [UInt8] {
  /// Appends an integer in `byteCount` bytes, least significant first.
  package mutating func append(littleEndian value: Int, byteCount: Int) {
    for index in 0..<byteCount { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }
}
