extension Float {
  /// The upper half of the number after rounding: to nearest, ties to even; NaN stays NaN.
  package var bfloat16Bits: UInt16 {
    if isNaN { return UInt16(truncatingIfNeeded: bitPattern >> 16) | 0x40 }
    return UInt16(truncatingIfNeeded: (bitPattern &+ 0x7FFF &+ (bitPattern >> 16 & 1)) >> 16)
  }
}
