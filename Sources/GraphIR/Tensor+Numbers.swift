public import Bytes

extension Tensor {
  /// The elements in row-major order as `Double`, which holds every element type but the largest
  /// 64-bit integers exactly. Copies.
  public var doubles: [Double] {
    var result: [Double] = []
    result.reserveCapacity(count)
    withPieces { bytes in
      switch elementType {
      case .float16: append(bytes, UInt16.self) { Double(Float16(bitPattern: $0)) }
      case .bfloat16: append(bytes, UInt16.self) { Double(Float(bitPattern: UInt32($0) << 16)) }
      case .float32: append(bytes, Float.self) { Double($0) }
      case .float64: append(bytes, Double.self) { $0 }
      case .int8: append(bytes, Int8.self) { Double($0) }
      case .int16: append(bytes, Int16.self) { Double($0) }
      case .int32: append(bytes, Int32.self) { Double($0) }
      case .int64: append(bytes, Int64.self) { Double($0) }
      case .uint8: append(bytes, UInt8.self) { Double($0) }
      case .uint16: append(bytes, UInt16.self) { Double($0) }
      case .uint32: append(bytes, UInt32.self) { Double($0) }
      case .uint64: append(bytes, UInt64.self) { Double($0) }
      case .bool: append(bytes, UInt8.self) { $0 == 0 ? 0 : 1 }
      }
    }
    func append<Element: BitwiseCopyable>(
      _ bytes: RawSpan, _ type: Element.Type, _ convert: (Element) -> Double
    ) {
      let size = MemoryLayout<Element>.size
      for offset in stride(from: 0, to: bytes.byteCount, by: size) {
        // Every offset leaves room for one element: the span holds whole elements.
        result.append(convert(bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: type)))
      }
    }
    return result
  }

  /// A tensor of numbers, each rounded to the nearest of the element type.
  ///
  /// - Parameter numbers: In row-major order; traps when there are not as many as the shape says.
  public init(_ elementType: ElementType, shape: [Int], _ numbers: some Collection<Double>) {
    precondition(numbers.count == shape.reduce(1, *))
    var bytes: [UInt8] = []
    bytes.reserveCapacity(numbers.count * elementType.byteCount)
    func append<Bits: FixedWidthInteger>(_ bits: (Double) -> Bits) {
      for number in numbers {
        // Copied before the closure ends.
        withUnsafeBytes(of: bits(number).littleEndian) { bytes.append(contentsOf: $0) }
      }
    }
    switch elementType {
    case .float16: append { Float16($0).bitPattern }
    case .bfloat16: append { Self.bfloat16(Float($0)) }
    case .float32: append { Float($0).bitPattern }
    case .float64: append { $0.bitPattern }
    case .int8: append { Self.integer($0) as Int8 }
    case .int16: append { Self.integer($0) as Int16 }
    case .int32: append { Self.integer($0) as Int32 }
    case .int64: append { Self.integer($0) as Int64 }
    case .uint8: append { Self.integer($0) as UInt8 }
    case .uint16: append { Self.integer($0) as UInt16 }
    case .uint32: append { Self.integer($0) as UInt32 }
    case .uint64: append { Self.integer($0) as UInt64 }
    case .bool: append { $0 == 0 ? 0 : 1 as UInt8 }
    }
    self.init(elementType, shape: shape, bytes: bytes)
  }

  /// Rounds to nearest, ties to even, and keeps the upper half of a float32.
  private static func bfloat16(_ number: Float) -> UInt16 {
    let bits = number.bitPattern
    if number.isNaN { return UInt16(truncatingIfNeeded: bits >> 16) | 0x40 }
    return UInt16(truncatingIfNeeded: (bits &+ 0x7FFF &+ (bits >> 16 & 1)) >> 16)
  }

  /// Drops the fraction, as casting does in NumPy; out of range saturates, NaN is 0.
  private static func integer<Value: FixedWidthInteger>(_ number: Double) -> Value {
    if number.isNaN { return 0 }
    if number <= Double(Value.min) { return .min }
    return Value(exactly: number.rounded(.towardZero)) ?? .max
  }
}
