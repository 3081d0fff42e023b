public import Bytes

extension Tensor {
  /// The elements in row-major order, rounded to float32. Copies.
  public var floats: [Float] {
    guard elementType == .float32 else { return doubles.map { Float($0) } }
    return elements(of: Float.self)
  }

  /// The elements of a tensor of int32 in row-major order. Copies.
  package var integers: [Int32] { elements(of: Int32.self) }

  private func elements<Element: BitwiseCopyable>(of type: Element.Type) -> [Element] {
    precondition(elementType.byteCount == MemoryLayout<Element>.size)
    return unsafe [Element](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      var rest = unsafe UnsafeMutableRawBufferPointer(buffer)[...]
      withPieces { bytes in
        // All pieces have as many bytes as the tensor has elements of this size.
        unsafe bytes.withUnsafeBytes {
          unsafe UnsafeMutableRawBufferPointer(rebasing: rest).copyMemory(from: $0)
        }
        unsafe rest = rest.dropFirst(bytes.byteCount)
      }
      initializedCount = count
    }
  }

  /// Whether each finite number is nearer to 0 than a limit, which float32 must represent.
  package func isWithin(_ limit: Double) -> Bool {
    if elementType == .float32 {
      var largest: UInt32 = 0
      withPieces { bytes in
        for offset in stride(from: 0, to: bytes.byteCount, by: 4) {
          // In bounds: the span contains whole elements.
          let bits = unsafe bytes.unsafeLoadUnaligned(
            fromUncheckedByteOffset: offset, as: UInt32.self)
          largest = max(largest, bits & 0x7FFF_FFFF)
        }
      }
      if largest < Float(limit).bitPattern { return true }
    }
    // Not all at once, as a weight may be large.
    let (flat, size) = (reshaped([count]), 1 << 16)
    return stride(from: 0, to: count, by: size).allSatisfy { start in
      flat.slice(start..<min(start + size, count), along: 0).doubles.allSatisfy {
        !$0.isFinite || abs($0) < limit
      }
    }
  }

  /// Creates a tensor of float32 or, by rounding, of another floating-point type.
  ///
  /// - Parameter floats: The elements in row-major order; traps when their count does not match the
  ///   shape.
  public init(_ elementType: ElementType, shape: [Int], floats: [Float]) {
    switch elementType {
    case .float32:
      unsafe self.init(
        elementType, shape: shape, bytes: floats.withUnsafeBytes { unsafe [UInt8]($0) })
    case .float16:
      self.init(
        elementType, shape: shape,
        bytes: unsafe [UInt8](unsafeUninitializedCapacity: 2 * floats.count) { buffer, count in
          count = 2 * floats.count
          let target = UnsafeMutableRawBufferPointer(buffer)
          for index in floats.indices {
            // In bounds: the buffer has two bytes for each number.
            unsafe target.storeBytes(
              of: floats[index].float16Bits.littleEndian, toByteOffset: 2 * index, as: UInt16.self)
          }
        })
    default: self.init(elementType, shape: shape, floats.map(Double.init))
    }
  }

  /// Creates a tensor of int32.
  package init(_ elementType: ElementType, shape: [Int], integers: [Int32]) {
    precondition(elementType == .int32)
    unsafe self.init(
      elementType, shape: shape, bytes: integers.withUnsafeBytes { unsafe [UInt8]($0) })
  }
}
