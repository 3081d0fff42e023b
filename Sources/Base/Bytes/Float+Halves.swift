extension Float {
  /// The upper half of the number after rounding: to nearest, ties to even; NaN stays NaN.
  package var bfloat16Bits: UInt16 {
    if isNaN { return UInt16(truncatingIfNeeded: bitPattern >> 16) | 0x40 }
    return UInt16(truncatingIfNeeded: (bitPattern &+ 0x7FFF &+ (bitPattern >> 16 & 1)) >> 16)
  }

  /// The nearest number of float16 (IEEE 754 binary16), ties to even: infinity from 65520 on; NaN
  /// stays NaN. Without branches, so that loops use vectors on all processors; `Float16` is a call
  /// where the processor may lack it.
  @inlinable package var float16Bits: UInt16 {
    let size = magnitude.bitPattern
    // 13 bits of the significand are dropped, and the exponent's bias is smaller by 112.
    let normal = (size &+ 0x0FFF &+ (size &>> 13 & 1)) &>> 13 &- 112 &<< 10
    // Below 2^-14 the numbers are 2^-24 apart, as float32 numbers between 1/2 and 1 are.
    let small = (magnitude + 0.5).bitPattern &- 0x3F00_0000
    let nan = size &>> 13 & 0x3FF | 0x7E00
    let bounded = size < 0x3880_0000 ? small : min(normal, 0x7C00)
    let result = size > 0x7F80_0000 ? nan : bounded
    return UInt16(truncatingIfNeeded: bitPattern &>> 16 & 0x8000 | result)
  }
}
