package import Bytes

/// Numbers of single precision on their way into elements of a floating-point type.
package enum FloatElements {
  /// The elements of a type, each rounded to nearest, ties to even.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - elementType: A floating-point type.
  ///   - number: Gives the number at a position.
  package static func bytes(
    count: Int, _ elementType: ElementType, _ number: (Int) -> Float
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count * elementType.byteCount)
    @inline(__always)
    func store<Bits: BitwiseCopyable>(_ bits: (Float) -> Bits) {
      var span = bytes.mutableSpan
      var target = span.mutableBytes
      for index in 0..<count {
        target.storeBytes(
          of: bits(number(index)), toByteOffset: index * MemoryLayout<Bits>.size, as: Bits.self)
      }
    }
    switch elementType {
    case .float16: store { Float16($0).bitPattern }
    case .bfloat16: store(\.bfloat16Bits)
    case .float64: store { Double($0).bitPattern }
    default: store(\.bitPattern)
    }
    return bytes
  }
}
