/// The fingerprints with which TensorFlow hashes strings and numbers to buckets: those of FarmHash
/// (G. Pike 2014), which do not change between versions, and MurmurHash's mixing step.
enum FarmHash {
  private static let factors: [UInt64] = [
    0xc3a5_c85c_97cb_3127, 0xb492_b66f_be98_f273, 0x9ae1_6a3b_2f90_404f,
  ]

  /// Returns the fingerprint of a string of 1 to 32 bytes.
  static func fingerprint(of bytes: [UInt8]) -> UInt64 {
    let length = UInt64(bytes.count)
    let factor = factors[2] &+ length &* 2
    switch bytes.count {
    case 17...:
      let (first, last) = (bytes.word(8, at: 0), bytes.word(8, at: bytes.count - 8) &* factor)
      let (second, beforeLast) = (bytes.word(8, at: 8), bytes.word(8, at: bytes.count - 16))
      let scaled = first &* factors[1]
      return mixed(
        (scaled &+ second).rotatedRight(by: 43) &+ last.rotatedRight(by: 30) &+ beforeLast
          &* factors[2],
        scaled &+ (second &+ factors[2]).rotatedRight(by: 18) &+ last, factor)
    case 8...:
      let (first, last) = (bytes.word(8, at: 0) &+ factors[2], bytes.word(8, at: bytes.count - 8))
      return mixed(
        last.rotatedRight(by: 37) &* factor &+ first,
        (first.rotatedRight(by: 25) &+ last) &* factor, factor)
    case 4...:
      let (first, last) = (bytes.word(4, at: 0), bytes.word(4, at: bytes.count - 4))
      return mixed(length &+ first << 3, last, factor)
    default:
      let firstAndMiddle = bytes.word(1, at: 0) &+ bytes.word(1, at: bytes.count >> 1) << 8
      let lengthAndLast = length &+ bytes.word(1, at: bytes.count - 1) << 2
      return shifted(firstAndMiddle &* factors[2] ^ lengthAndLast &* factors[0]) &* factors[2]
    }
  }

  /// Combines two fingerprints, in this order.
  static func combined(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let factor: UInt64 = 0xc6a4_a793_5bd1_e995
    let mixed = ((first ^ factor) ^ shifted(second &* factor) &* factor) &* factor
    return shifted(shifted(mixed) &* factor)
  }

  private static func mixed(_ first: UInt64, _ second: UInt64, _ factor: UInt64) -> UInt64 {
    let once = shifted((first ^ second) &* factor)
    return shifted((second ^ once) &* factor) &* factor
  }

  private static func shifted(_ value: UInt64) -> UInt64 { value ^ value >> 47 }
}

extension UInt64 {
  /// Rotated to the right by a number of bits.
  fileprivate func rotatedRight(by bits: UInt64) -> UInt64 { self >> bits | self << (64 - bits) }
}

extension [UInt8] {
  /// The little-endian integer of `byteCount` bytes.
  fileprivate func word(_ byteCount: Int, at start: Int) -> UInt64 {
    self[start..<start + byteCount].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
