/// The bit layout of an integer.
struct IntegerLayout: Hashable, Sendable {
  let isBigEndian: Bool
  let isSigned: Bool
  /// The position of the lowest bit, and the number of bits.
  let bits: BitRange

  /// The value of an element, clamped to 64 bits as in HDF5.
  func value(_ bytes: ArraySlice<UInt8>) -> Int {
    let bytes = isBigEndian ? Array(bytes.reversed()) : Array(bytes)
    let low = bits.value(of: bytes)
    let isNegative = isSigned && bits.count > 0 && bits.bit(bits.count - 1, of: bytes)
    // Every bit from 63 up must repeat the sign.
    for index in min(63, bits.count)..<max(63, bits.count)
    where index < bits.count && bits.bit(index, of: bytes) != isNegative {
      return isNegative ? .min : .max
    }
    guard isNegative, bits.count < 64 else { return Int(truncatingIfNeeded: low) }
    return Int(truncatingIfNeeded: low | ~UInt64(0) << UInt64(bits.count))
  }
}

/// A run of bits in a number, with the least significant byte first.
struct BitRange: Hashable, Sendable {
  let start: Int
  let count: Int

  /// The bit at an index within the run; bits outside the bytes are not set.
  func bit(_ index: Int, of bytes: [UInt8]) -> Bool {
    let position = start + index
    return position / 8 < bytes.count && bytes[position / 8] >> UInt8(position % 8) & 1 != 0
  }

  /// The lowest 64 bits of the run.
  func value(of bytes: [UInt8]) -> UInt64 {
    var value: UInt64 = 0
    for index in (0..<min(64, count)).reversed() {
      value = value << 1 | (bit(index, of: bytes) ? 1 : 0)
    }
    return value
  }
}

/// The bit layout of a floating-point number.
struct FloatLayout: Hashable, Sendable {
  /// The storage of the first bit of the fraction.
  enum Normalization: UInt8, Sendable {
    /// It is stored, and may be 0.
    case none
    /// It is stored and is 1.
    case stored
    /// It is 1 and not stored, as in IEEE 754.
    case implied
  }

  let isBigEndian: Bool
  let isVAX: Bool
  let bits: BitRange
  let sign: Int
  let exponent: BitRange
  let fraction: BitRange
  let bias: Int
  let normalization: Normalization

  /// The value of an element, rounded to a `Double`.
  func value(_ bytes: ArraySlice<UInt8>) -> Double {
    let bytes = isBigEndian ? Array(bytes.reversed()) : Array(bytes)
    let isNegative = BitRange(start: sign, count: 1).bit(0, of: bytes)
    let sign = isNegative ? FloatingPointSign.minus : .plus
    let power = Int(truncatingIfNeeded: exponent.value(of: bytes))
    // The bits below the highest 64 of the fraction cannot change a `Double`.
    let kept = min(64, fraction.count)
    let top = BitRange(start: fraction.start + fraction.count - kept, count: kept).value(of: bytes)
    if power == 1 << exponent.count - 1 {
      let rest = normalization == .implied ? top : top & ~(1 << UInt64(max(0, kept - 1)))
      return rest == 0 ? Double(sign: sign, exponent: 0, significand: .infinity) : .nan
    }
    let scale = normalization == .implied ? kept : kept - 1
    var value = Double(
      sign: sign, exponent: max(power, normalization == .implied ? 1 : power) - bias - scale,
      significand: Double(top))
    if normalization == .implied, power > 0 {
      value += Double(sign: sign, exponent: power - bias, significand: 1)
    }
    return value
  }
}
