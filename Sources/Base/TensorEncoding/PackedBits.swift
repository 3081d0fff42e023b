import Bytes

/// Numbers of 1 to 16 bits one behind the other, the lowest bit of each first, in bytes that are
/// filled from their lowest bit on.
enum PackedBits {
  /// The bytes that so many numbers take; the bits behind the last are 0.
  static func byteCount(_ count: Int, bits: Int) -> Int { (count * bits + 7) / 8 }

  /// Packs the lowest bits of numbers.
  static func pack(_ numbers: some Collection<UInt32>, bits: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount(numbers.count, bits: bits))
    var (word, filled): (UInt32, Int) = (0, 0)
    for number in numbers {
      word |= (number & (1 << UInt32(bits) - 1)) << UInt32(filled)
      filled += bits
      while filled >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
        filled -= 8
      }
    }
    if filled > 0 { bytes.append(UInt8(truncatingIfNeeded: word)) }
    return bytes
  }

  /// The bytes that so many numbers take with zeros up to the next multiple of 4, behind which numbers
  /// of 4 bytes can stand.
  static func paddedByteCount(_ count: Int, bits: Int) -> Int {
    (byteCount(count, bits: bits) + 3) / 4 * 4
  }

  /// Packs the lowest bits of numbers, with zeros up to the next multiple of 4 bytes.
  static func packPadded(_ numbers: some Collection<UInt32>, bits: Int) -> [UInt8] {
    let bytes = pack(numbers, bits: bits)
    let size = paddedByteCount(numbers.count, bits: bits)
    return bytes + [UInt8](repeating: 0, count: size - bytes.count)
  }

  /// The number at a position. The bytes must hold it.
  @inline(__always)
  static func number(_ index: Int, bits: Int, in bytes: RawSpan) -> UInt32 {
    let first = index * bits / 8
    var word = UInt32(bytes[byte: first])
    for next in 1..<3 where first + next < bytes.byteCount {
      word |= UInt32(bytes[byte: first + next]) << UInt32(8 * next)
    }
    return word >> UInt32(index * bits % 8) & (1 << UInt32(bits) - 1)
  }
}
