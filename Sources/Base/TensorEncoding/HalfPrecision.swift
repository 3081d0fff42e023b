package import Bytes

/// Floating-point elements of 16 bits in place of wider ones, rounded to nearest, ties to even.
package struct HalfPrecision: Hashable, Sendable {
  /// IEEE 754 binary16, or the upper half of a binary32.
  package let elementType: ElementType

  /// IEEE 754 binary16.
  package static let float16 = HalfPrecision(elementType: .float16)
  /// The upper half of a binary32.
  package static let bfloat16 = HalfPrecision(elementType: .bfloat16)

  /// Encodes numbers.
  package func encode(_ numbers: [Float]) -> [UInt8] {
    FloatElements.bytes(count: numbers.count, elementType) { numbers[$0] }
  }

  func decode(_ bytes: RawSpan, _ target: ElementType) -> [UInt8] {
    FloatElements.bytes(count: bytes.byteCount / 2, target) { index in
      let bits = bytes.unsafeLoadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
      return elementType == .float16
        ? Float(Float16(bitPattern: bits)) : Float(bitPattern: UInt32(bits) << 16)
    }
  }
}
