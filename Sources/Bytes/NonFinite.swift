extension RawSpan {
  /// How many elements of a row-major run are NaN or infinite; 0 for integers.
  ///
  /// It looks at the exponent bits only, so it keeps up with the memory.
  package func nonFiniteCount(_ elementType: ElementType) -> Int {
    switch elementType {
    case .float16: count(UInt16.self, exponent: 0x7C00)
    case .bfloat16: count(UInt16.self, exponent: 0x7F80)
    case .float32: count(UInt32.self, exponent: 0x7F80_0000)
    case .float64: count(UInt64.self, exponent: 0x7FF0_0000_0000_0000)
    default: 0
    }
  }

  private func count<Bits: FixedWidthInteger & BitwiseCopyable>(
    _ type: Bits.Type, exponent: Bits
  ) -> Int {
    let size = MemoryLayout<Bits>.size
    var count: Bits = 0
    var total = 0
    var offset = 0
    while offset + size <= byteCount {
      // Counted in short runs, so that the counter is as wide as the elements and cannot overflow.
      let end = Swift.min(byteCount - size + 1, offset + 16384 * size)
      count = 0
      while offset < end {
        // Inside: `offset + size` is at most `byteCount`.
        let bits = unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: type)
        count &+= bits & exponent == exponent ? 1 : 0
        offset += size
      }
      total += Int(count)
    }
    return total
  }
}
