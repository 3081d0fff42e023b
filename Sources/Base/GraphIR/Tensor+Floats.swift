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
    let bytes = contiguousBytes()
    return unsafe [Element](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      // As many bytes as the tensor has elements of this size.
      unsafe UnsafeMutableRawBufferPointer(buffer).copyBytes(from: bytes)
      initializedCount = count
    }
  }

  /// Creates a tensor of float32 or, by rounding, of another floating-point type.
  ///
  /// - Parameter floats: The elements in row-major order; traps when their count does not match the
  ///   shape.
  public init(_ elementType: ElementType, shape: [Int], floats: [Float]) {
    guard elementType == .float32 else {
      self.init(elementType, shape: shape, floats.map(Double.init))
      return
    }
    unsafe self.init(
      elementType, shape: shape, bytes: floats.withUnsafeBytes { unsafe [UInt8]($0) })
  }

  /// Creates a tensor of int32.
  package init(_ elementType: ElementType, shape: [Int], integers: [Int32]) {
    precondition(elementType == .int32)
    unsafe self.init(
      elementType, shape: shape, bytes: integers.withUnsafeBytes { unsafe [UInt8]($0) })
  }
}
