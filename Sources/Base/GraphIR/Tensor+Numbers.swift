public import Bytes

extension Tensor {
  /// The elements in row-major order as `Double`, which represents all element types exactly except
  /// large 64-bit integers. Copies.
  public var doubles: [Double] {
    if count > 1, zip(shape, strides).allSatisfy({ $0 == 1 || $1 == 0 }) {
      return [Double](repeating: first.doubles[0], count: count)
    }
    var result = [Double](repeating: 0, count: count)
    var next = 0
    withPieces { bytes in
      @inline(__always)
      func load<Element: BitwiseCopyable>(_ convert: (Element) -> Double) {
        let size = MemoryLayout<Element>.size
        let count = bytes.byteCount / size
        var target = result.mutableSpan
        for index in 0..<count {
          // In bounds: the span contains `count` elements.
          target[next + index] = unsafe convert(
            bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index * size, as: Element.self))
        }
        next += count
      }
      switch elementType {
      case .float16: load { Double(Float16(bitPattern: $0)) }
      case .bfloat16: load { Double(Float(bitPattern: UInt32($0 as UInt16) << 16)) }
      case .float32: load { Double($0 as Float) }
      case .float64: load { $0 as Double }
      case .int8: load { Double($0 as Int8) }
      case .int16: load { Double($0 as Int16) }
      case .int32: load { Double($0 as Int32) }
      case .int64: load { Double($0 as Int64) }
      case .uint8: load { Double($0 as UInt8) }
      case .uint16: load { Double($0 as UInt16) }
      case .uint32: load { Double($0 as UInt32) }
      case .uint64: load { Double($0 as UInt64) }
      case .bool: load { $0 as UInt8 == 0 ? 0 : 1 }
      }
    }
    return result
  }

  /// The first element of each axis, which has at least one.
  private var first: Tensor {
    shape.indices.reduce(self) { $0.slice(0..<1, along: $1) }
  }

  /// Creates a tensor of numbers, each rounded to the nearest value of the element type.
  ///
  /// - Parameter numbers: In row-major order; traps when their count does not match the shape.
  public init(_ elementType: ElementType, shape: [Int], _ numbers: [Double]) {
    precondition(numbers.count == shape.reduce(1, *))
    var bytes = [UInt8](repeating: 0, count: numbers.count * elementType.byteCount)
    @inline(__always)
    func store<Bits: FixedWidthInteger & BitwiseCopyable>(_ convert: (Double) -> Bits) {
      var span = bytes.mutableSpan
      var target = unsafe span.mutableBytes
      let size = MemoryLayout<Bits>.size
      for index in numbers.indices {
        target.storeBytes(
          of: convert(numbers[index]).littleEndian, toByteOffset: index * size, as: Bits.self)
      }
    }
    switch elementType {
    case .float16: store { Float16($0).bitPattern }
    case .bfloat16: store { Float($0).bfloat16Bits }
    case .float32: store { Float($0).bitPattern }
    case .float64: store { $0.bitPattern }
    case .int8: store { Self.integer($0) as Int8 }
    case .int16: store { Self.integer($0) as Int16 }
    case .int32: store { Self.integer($0) as Int32 }
    case .int64: store { Self.integer($0) as Int64 }
    case .uint8: store { Self.integer($0) as UInt8 }
    case .uint16: store { Self.integer($0) as UInt16 }
    case .uint32: store { Self.integer($0) as UInt32 }
    case .uint64: store { Self.integer($0) as UInt64 }
    case .bool: store { $0 == 0 ? 0 : 1 as UInt8 }
    }
    self.init(elementType, shape: shape, bytes: bytes)
  }

  /// Truncates a number as a cast in NumPy does; numbers out of range saturate, and NaN becomes 0.
  private static func integer<Value: FixedWidthInteger>(_ number: Double) -> Value {
    if number.isNaN { return 0 }
    if number <= Double(Value.min) { return .min }
    return Value(exactly: number.rounded(.towardZero)) ?? .max
  }
}

extension ElementType {
  /// Returns the nearest number of a floating-point type; the number itself for other types.
  package func nearest(to number: Double) -> Double {
    switch self {
    case .float16: Double(Float16(number))
    case .bfloat16: Double(Float(number).roundedToBFloat16)
    case .float32: Double(Float(number))
    default: number
    }
  }
}
