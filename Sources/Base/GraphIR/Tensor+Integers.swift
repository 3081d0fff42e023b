package import Bytes

extension Tensor {
  /// The elements in row-major order modulo 2^64; those of a floating-point type are truncated.
  /// Copies.
  package var wrappedIntegers: [Int64] {
    var result = [Int64](repeating: 0, count: count)
    var next = 0
    withPieces { bytes in
      @inline(__always)
      func load<Element: FixedWidthInteger & BitwiseCopyable>(_ type: Element.Type) {
        let size = MemoryLayout<Element>.size
        let count = bytes.byteCount / size
        var target = result.mutableSpan
        for index in 0..<count {
          // In bounds: the span contains `count` elements.
          target[next + index] = unsafe Int64(
            truncatingIfNeeded: bytes.unsafeLoadUnaligned(
              fromUncheckedByteOffset: index * size, as: type))
        }
        next += count
      }
      switch elementType {
      case .int8: load(Int8.self)
      case .int16: load(Int16.self)
      case .int32: load(Int32.self)
      case .int64: load(Int64.self)
      case .uint8: load(UInt8.self)
      case .uint16: load(UInt16.self)
      case .uint32: load(UInt32.self)
      case .uint64: load(UInt64.self)
      case .float16, .bfloat16, .float32, .float64, .bool: next = -1
      }
    }
    return next < 0 ? doubles.map { Int64(exactly: $0.rounded(.towardZero)) ?? .min } : result
  }

  /// The integers in row-major order, each less 2^63 for uint64, so that they are in the same order
  /// as `Int64`. Copies.
  package var orderedIntegers: [Int64] { Self.swappingHalves(wrappedIntegers, of: elementType) }

  /// Creates a tensor from its ``orderedIntegers``.
  package init(ordered elementType: ElementType, shape: [Int], _ numbers: [Int64]) {
    self.init(
      wrapping: elementType, shape: shape, Self.swappingHalves(numbers, of: elementType))
  }

  private static func swappingHalves(_ numbers: [Int64], of type: ElementType) -> [Int64] {
    type == .uint64 ? numbers.map { $0 ^ .min } : numbers
  }

  /// Creates a tensor of integers, each modulo 2^bits of the element type; of a floating-point type,
  /// each rounded to the nearest number.
  ///
  /// - Parameter numbers: In row-major order; traps when their count does not match the shape.
  package init(wrapping elementType: ElementType, shape: [Int], _ numbers: [Int64]) {
    precondition(numbers.count == shape.reduce(1, *))
    guard elementType.isInteger else {
      self.init(elementType, shape: shape, numbers.map(Double.init))
      return
    }
    let size = elementType.byteCount
    var bytes = [UInt8](repeating: 0, count: numbers.count * size)
    for (index, number) in numbers.enumerated() {
      for byte in 0..<size {
        bytes[index * size + byte] = UInt8(truncatingIfNeeded: number >> Int64(8 * byte))
      }
    }
    self.init(elementType, shape: shape, bytes: bytes)
  }
}
