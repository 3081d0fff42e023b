extension RawSpan {
  /// The number of NaN or infinite elements; 0 for integers.
  ///
  /// It tests whole blocks by their exponent bits, and counts only in blocks that contain such
  /// elements, so that its speed is that of the memory.
  package func nonFiniteCount(_ elementType: ElementType) -> Int {
    switch elementType {
    case .float16: count(UInt16.self, exponent: 0x7C00)
    case .bfloat16: count(UInt16.self, exponent: 0x7F80)
    case .float32: count(UInt32.self, exponent: 0x7F80_0000)
    case .float64: count(UInt64.self, exponent: 0x7FF0_0000_0000_0000)
    default: 0
    }
  }

  @inline(__always)
  private func count<Bits: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Bits.Type, exponent: Bits
  ) -> Int {
    let size = MemoryLayout<Bits>.size
    let elements = byteCount / size
    // Only an exponent of all ones carries into the sign bit when one is added.
    let carry = Bits(1) << exponent.trailingZeroBitCount
    let sign = ~(Bits.max >> 1)
    var total = 0
    var start = 0
    while start < elements {
      let end = Swift.min(start &+ 4096, elements)
      var carries: Bits = 0
      for index in start..<end {
        // In bounds: `index` counts whole elements of the span.
        let bits = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: index &* size, as: type)
        carries |= (bits & exponent) &+ carry
      }
      if carries & sign != 0 {
        for index in start..<end {
          let bits = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: index &* size, as: type)
          if bits & exponent == exponent { total += 1 }
        }
      }
      start = end
    }
    return total
  }
}
