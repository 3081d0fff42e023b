package import Bytes
import CKernels

/// Floating-point elements stored in 16 bits, rounded to nearest, ties to even.
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

  func decode(_ bytes: RawSpan, _ target: ElementType) throws(WeighbridgeError) -> [UInt8] {
    try unsafe bytes.withUnsafeBytes { (bytes) throws(WeighbridgeError) in
      nonisolated(unsafe) let source = unsafe bytes  // only read, until all threads have finished
      return try unsafe FloatElements.decode(count: bytes.count / 2, target) { elements, numbers in
        let halves = unsafe source[2 * elements.lowerBound..<2 * elements.upperBound]
        unsafe elements_widen(
          UnsafeRawBufferPointer(rebasing: halves).baseAddress, elements.count,
          elementType == .float16, numbers)
      }
    }
  }
}
