import Bytes

// Numbers of 4 bytes that follow packed numbers: scales, offsets, zero points and tables.

extension [UInt8] {
  /// Appends numbers in single precision.
  mutating func append(_ numbers: [Float]) {
    for number in numbers { append(littleEndian: Int(number.bitPattern), byteCount: 4) }
  }
}

extension RawSpan {
  /// Returns the bits of numbers of 4 bytes, starting at an offset. The span must contain them.
  func words(_ count: Int, at offset: Int) -> [UInt32] {
    precondition(offset >= 0 && count >= 0 && offset + 4 * count <= byteCount)
    return (0..<count).map {  // in bounds, as checked on the line above
      unsafe unsafeLoadUnaligned(fromByteOffset: offset + 4 * $0, as: UInt32.self)
    }
  }
}
