/// The number type of a tensor's elements. Multi-byte elements are little-endian in memory and in
/// every written file.
public enum ElementType: String, Hashable, Sendable, CaseIterable {
  /// IEEE 754 binary16, the upper half of a binary32 (8 bits of exponent), binary32 and binary64.
  case float16, bfloat16, float32, float64
  /// Signed integers in two's complement, of that many bits.
  case int8, int16, int32, int64
  /// Unsigned integers of that many bits.
  case uint8, uint16, uint32, uint64
  /// A boolean in one byte: 0 is false, anything else true.
  case bool

  /// The size of one element in bytes.
  public var byteCount: Int {
    switch self {
    case .int8, .uint8, .bool: 1
    case .float16, .bfloat16, .int16, .uint16: 2
    case .float32, .int32, .uint32: 4
    case .float64, .int64, .uint64: 8
    }
  }

  /// Whether elements are signed integers.
  public var isSignedInteger: Bool {
    switch self {
    case .int8, .int16, .int32, .int64: true
    default: false
    }
  }

  /// Whether elements are floating-point numbers.
  public var isFloat: Bool {
    switch self {
    case .float16, .bfloat16, .float32, .float64: true
    default: false
    }
  }

  /// Whether elements are integers, signed or not.
  package var isInteger: Bool { !isFloat && self != .bool }

  /// The smallest and the largest of the integers, the latter rounded for 64 bits.
  package var integerBounds: (minimum: Double, maximum: Double) {
    let bits = 8 * byteCount - (isSignedInteger ? 1 : 0)
    let maximum = Double(UInt64.max >> UInt64(64 - bits))
    return (isSignedInteger ? -Double(sign: .plus, exponent: bits, significand: 1) : 0, maximum)
  }

  /// Whether an element can have a finite value, rounded where the type is a floating-point one.
  package func canHold(_ number: Double) -> Bool {
    guard number.isFinite, !isFloat else { return number.isFinite }
    if self == .bool { return number == 0 || number == 1 }
    let (minimum, maximum) = integerBounds
    // Of 64 bits, the maximum is rounded up.
    return number == number.rounded() && number >= minimum && number < maximum + 1
  }

  /// Whether this integer type has all numbers of another one.
  package func includes(_ other: ElementType) -> Bool {
    let (bounds, others) = (integerBounds, other.integerBounds)
    return bounds.minimum <= others.minimum && bounds.maximum >= others.maximum
  }
}
