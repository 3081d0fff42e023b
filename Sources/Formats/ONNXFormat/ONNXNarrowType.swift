package import Bytes

/// ONNX's types that are narrower than any type of the graph: integers of less than 8 bits, whose
/// values are held in 8 bits here, and floating-point numbers of 8 bits or less, held in float32.
package enum ONNXNarrowType: Int, Hashable, Sendable, CaseIterable {
  // The numbers of ONNX.
  case float8e4m3fn = 17
  case float8e4m3fnuz = 18
  case float8e5m2 = 19
  case float8e5m2fnuz = 20
  case uint4 = 21
  case int4 = 22
  case float4e2m1 = 23
  case float8e8m0 = 24
  case uint2 = 25
  case int2 = 26

  /// The type's name in ONNX, such as `int4`.
  package var name: String { "\(self)" }

  /// The number of bits of an element: 2, 4 or 8.
  package var bits: Int {
    switch self {
    case .uint2, .int2: 2
    case .uint4, .int4, .float4e2m1: 4
    default: 8
    }
  }

  /// Whether there are negative integers, in two's complement.
  package var isSigned: Bool { [.int4, .int2].contains(self) }

  /// The type that holds the values: int8, uint8 or float32.
  package var elementType: ElementType {
    format != nil ? .float32 : isSigned ? .int8 : .uint8
  }

  /// The values of an integer type.
  package var range: ClosedRange<Double> {
    let count = Double(1 << bits)
    return isSigned ? -count / 2...count / 2 - 1 : 0...count - 1
  }

  /// The number of bytes that store a number of elements, the first of each byte in the lowest bits.
  package func byteCount(of count: Int) -> Int {
    count / (8 / bits) + (count % (8 / bits) == 0 ? 0 : 1)
  }

  /// Returns elements that are stored in fewer bits, little-endian in the type that holds them.
  package func unpacked(_ bytes: [UInt8], count: Int) -> [UInt8] {
    let (perByte, mask) = (8 / bits, UInt8((1 << bits) - 1))
    let codes = (0..<count).map { index in
      bytes[index / perByte] >> UInt8(index % perByte * bits) & mask
    }
    guard let format else {
      return codes.map { isSigned && $0 > mask / 2 ? $0 | ~mask : $0 }
    }
    let values = (0...Int(mask)).map { Float(format.value(of: $0)).bitPattern }
    return codes.flatMap { code in
      (0..<4).map { UInt8(truncatingIfNeeded: values[Int(code)] >> (8 * $0)) }
    }
  }

  /// The layout of the bits of a floating-point type.
  package var format: ONNXNarrowFloat? {
    switch self {
    case .float8e4m3fn: ONNXNarrowFloat(exponentBits: 4, mantissaBits: 3, bias: 7, .finite)
    case .float8e4m3fnuz: ONNXNarrowFloat(exponentBits: 4, mantissaBits: 3, bias: 8, .unsignedZero)
    case .float8e5m2: ONNXNarrowFloat(exponentBits: 5, mantissaBits: 2, bias: 15, .ieee)
    case .float8e5m2fnuz: ONNXNarrowFloat(exponentBits: 5, mantissaBits: 2, bias: 16, .unsignedZero)
    case .float4e2m1: ONNXNarrowFloat(exponentBits: 2, mantissaBits: 1, bias: 1, .none)
    case .float8e8m0: ONNXNarrowFloat(exponentBits: 8, mantissaBits: 0, bias: 127, .powers)
    case .uint4, .int4, .uint2, .int2: nil
    }
  }
}

/// The bits of a floating-point number of 8 bits or less: a sign (but for powers of two), an
/// exponent and a mantissa.
///
/// Source: ONNX's "Float stored in 8 bits", "Float stored in 4 bits"; OCP 8-bit Floating Point
/// Specification; OCP Microscaling Formats.
package struct ONNXNarrowFloat: Sendable {
  /// What stands for something else than a finite number.
  package enum Specials: Sendable {
    /// The largest exponent is infinity or NaN.
    case ieee
    /// All ones but for the sign are NaN; there is no infinity.
    case finite
    /// A sign without anything else is NaN; there is no infinity and no negative zero.
    case unsignedZero
    /// Positive powers of two; all ones are NaN.
    case powers
    /// Nothing.
    case none
  }

  package let exponentBits: Int
  package let mantissaBits: Int
  package let bias: Int
  package let specials: Specials

  init(exponentBits: Int, mantissaBits: Int, bias: Int, _ specials: Specials) {
    (self.exponentBits, self.mantissaBits) = (exponentBits, mantissaBits)
    (self.bias, self.specials) = (bias, specials)
  }

  /// The number of codes without a sign.
  private var magnitudes: Int { 1 << (exponentBits + mantissaBits) }

  /// The number that a code stands for.
  package func value(of code: Int) -> Double {
    let (isNegative, rest) = (code >= magnitudes, code % magnitudes)
    switch specials {
    case .unsignedZero where code == magnitudes: return .nan
    case .finite where rest == magnitudes - 1, .powers where rest == magnitudes - 1: return .nan
    case .ieee where rest >> mantissaBits == 1 << exponentBits - 1:
      let infinity = isNegative ? -Double.infinity : .infinity
      return rest % (1 << mantissaBits) == 0 ? infinity : .nan
    default: return isNegative ? -magnitude(rest) : magnitude(rest)
    }
  }

  /// The number of a code without a sign, as if none stood for anything else.
  private func magnitude(_ code: Int) -> Double {
    let (exponent, fraction) = (code >> mantissaBits, code % (1 << mantissaBits))
    let isSubnormal = exponent == 0 && specials != .powers
    return Double(
      sign: .plus, exponent: (isSubnormal ? 1 : exponent) - bias - mantissaBits,
      significand: Double(isSubnormal ? fraction : fraction + 1 << mantissaBits))
  }

  /// The finite magnitudes in ascending order, from 0 on (but for powers of two), each at its code.
  package var finite: [Double] {
    (0..<magnitudes).map { value(of: $0) }.filter(\.isFinite)
  }

  /// The number that would follow the largest finite one.
  package var overflow: Double { magnitude(finite.count) }
}

extension ElementType {
  /// The name of a type by its number in ONNX.
  package static func onnxName(_ number: Int) -> String {
    let names = [
      8: "strings", 14: "complex64", 15: "complex128", 27: "float6e2m3", 28: "float6e3m2",
    ]
    return ElementType(onnxNumber: number)?.rawValue ?? ONNXNarrowType(rawValue: number)?.name
      ?? names[number] ?? "a type with the number \(number)"
  }
}
