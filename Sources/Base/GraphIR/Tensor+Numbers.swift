public import Bytes

extension Tensor {
  /// The elements in row-major order as `Double`, which represents all element types exactly except
  /// large 64-bit integers. Copies.
  public var doubles: [Double] {
    if count > 1, zip(shape, strides).allSatisfy({ $0 == 1 || $1 == 0 }) {
      return [Double](repeating: first.doubles[0], count: count)
    }
    return unsafe [Double](unsafeUninitializedCapacity: count) { result, initializedCount in
      let target = unsafe result
      withPieces { bytes in
        let start = initializedCount
        @inline(__always)
        func load<Element: BitwiseCopyable>(_ convert: (Element) -> Double) {
          let size = MemoryLayout<Element>.size
          let count = bytes.byteCount / size
          for index in 0..<count {
            // In bounds: the span contains `count` elements, and all pieces those of the tensor.
            unsafe target[start + index] = convert(
              bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index * size, as: Element.self))
          }
          initializedCount += count
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
    }
  }

  /// The element whose indices are all 0, of a tensor that has one.
  package var first: Tensor {
    shape.indices.reduce(self) { $0.slice(0..<1, along: $1) }
  }

  /// Creates a tensor of numbers, each rounded to the nearest value of the element type.
  ///
  /// - Parameter numbers: In row-major order; traps when their count does not match the shape.
  public init(_ elementType: ElementType, shape: [Int], _ numbers: [Double]) {
    self.init(elementType, shape: shape, bytes: elementType.bytes(of: numbers))
  }
}

extension ElementType {
  /// The bytes of numbers, each rounded to the nearest value of the type.
  package func bytes(of numbers: [Double]) -> [UInt8] {
    let size = numbers.count * byteCount
    return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, initializedCount in
      let target = UnsafeMutableRawBufferPointer(buffer)
      initializedCount = size
      @inline(__always)
      func store<Bits: FixedWidthInteger & BitwiseCopyable>(_ convert: (Double) -> Bits) {
        for index in numbers.indices {
          // In bounds: the buffer has as many elements of this size.
          unsafe target.storeBytes(
            of: convert(numbers[index]).littleEndian,
            toByteOffset: index * MemoryLayout<Bits>.size, as: Bits.self)
        }
      }
      switch self {
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
    }
  }

  /// Truncates a number as a cast in NumPy does; numbers out of range saturate, and NaN becomes 0.
  private static func integer<Value: FixedWidthInteger>(_ number: Double) -> Value {
    if number.isNaN { return 0 }
    if number <= Double(Value.min) { return .min }
    return Value(exactly: number.rounded(.towardZero)) ?? .max
  }

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
