/// The bit layout of an integer.
struct IntegerLayout: Hashable, Sendable {
  let isBigEndian: Bool
  let isSigned: Bool
  /// The bits of the element that contain the number.
  let bits: BitRange

  /// Returns the value of an element, clamped to 64 bits as in HDF5.
  func value(_ bytes: ArraySlice<UInt8>) -> Int {
    let bytes = isBigEndian ? Array(bytes.reversed()) : Array(bytes)
    let lowBits = bits.value(of: bytes)
    let isNegative = isSigned && bits.count > 0 && bits.bit(bits.count - 1, of: bytes)
    // Every bit from 63 up must repeat the sign.
    for index in min(63, bits.count)..<max(63, bits.count)
    where index < bits.count && bits.bit(index, of: bytes) != isNegative {
      return isNegative ? .min : .max
    }
    guard isNegative, bits.count < 64 else { return Int(truncatingIfNeeded: lowBits) }
    return Int(truncatingIfNeeded: lowBits | (~UInt64(0) << UInt64(bits.count)))
  }

  /// Returns the value of an element in two's complement, clamped to 64 bits as in HDF5.
  func bitPattern(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    guard !isSigned, bits.count >= 64 else { return UInt64(bitPattern: Int64(value(bytes))) }
    let bytes = isBigEndian ? Array(bytes.reversed()) : Array(bytes)
    let isLarger = (64..<bits.count).contains { bits.bit($0, of: bytes) }
    return isLarger ? .max : bits.value(of: bytes)
  }
}

/// A range of bits in a number whose least significant byte is first.
struct BitRange: Hashable, Sendable {
  let start: Int
  let count: Int

  /// Returns the bit at an index within the range; bits outside the bytes are not set.
  func bit(_ index: Int, of bytes: [UInt8]) -> Bool {
    let position = start + index
    return position / 8 < bytes.count && bytes[position / 8] >> UInt8(position % 8) & 1 != 0
  }

  /// Returns the lowest 64 bits of the range.
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

  /// Whether ``value(_:)`` can compute the values.
  var isReadable: Bool { !isVAX && exponent.count <= 30 && bias <= 1 << 30 }

  /// Whether a `Float` contains every value exactly. Precondition: ``isReadable``.
  var fitsFloat32: Bool {
    exponent.count <= 8 && fraction.count <= 23 && (1 << exponent.count) - 2 - bias <= 127
      && bias + fraction.count <= 150
  }

  /// Returns the value of an element, rounded to a `Double`.
  func value(_ bytes: ArraySlice<UInt8>) -> Double {
    let bytes = isBigEndian ? Array(bytes.reversed()) : Array(bytes)
    let isNegative = BitRange(start: sign, count: 1).bit(0, of: bytes)
    let sign = isNegative ? FloatingPointSign.minus : .plus
    let biasedExponent = Int(truncatingIfNeeded: exponent.value(of: bytes))
    // The bits below the highest 64 of the fraction cannot change a `Double`.
    let bitCount = min(64, fraction.count)
    let fractionBits = BitRange(start: fraction.start + fraction.count - bitCount, count: bitCount)
      .value(of: bytes)
    if biasedExponent == (1 << exponent.count) - 1 {
      let payload =
        normalization == .implied
        ? fractionBits : fractionBits & ~(1 << UInt64(max(0, bitCount - 1)))
      return payload == 0 ? Double(sign: sign, exponent: 0, significand: .infinity) : .nan
    }
    let scale = normalization == .implied ? bitCount : bitCount - 1
    let minimumExponent = normalization == .implied ? 1 : biasedExponent
    var value = Double(
      sign: sign, exponent: max(biasedExponent, minimumExponent) - bias - scale,
      significand: Double(fractionBits))
    if normalization == .implied, biasedExponent > 0 {
      value += Double(sign: sign, exponent: biasedExponent - bias, significand: 1)
    }
    return value
  }
}
