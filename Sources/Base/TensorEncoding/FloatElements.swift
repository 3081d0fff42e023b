package import Bytes

/// Converts single-precision numbers to elements of a floating-point type, rounded to nearest, ties
/// to even.
package enum FloatElements {
  /// Returns the elements of a type.
  ///
  /// - Parameters:
  ///   - count: The number of elements.
  ///   - elementType: A floating-point type.
  ///   - number: Returns the number at an index.
  package static func bytes(
    count: Int, _ elementType: ElementType, _ number: (Int) -> Float
  ) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count * elementType.byteCount) {
      buffer, filledCount in
      unsafe store(count, elementType, to: UnsafeMutableRawBufferPointer(buffer), number)
      filledCount = count * elementType.byteCount
    }
  }

  /// Writes elements to memory of their size.
  fileprivate static func store(
    _ count: Int, _ elementType: ElementType, to memory: UnsafeMutableRawBufferPointer,
    _ number: (Int) -> Float
  ) {
    @inline(__always)
    func store<Bits: BitwiseCopyable>(_ convert: (Float) -> Bits) {
      precondition(memory.count == count * MemoryLayout<Bits>.size)
      for index in 0..<count {
        unsafe memory.storeBytes(
          of: convert(number(index)), toByteOffset: index * MemoryLayout<Bits>.size, as: Bits.self)
      }
    }
    switch elementType {
    case .float16: store(\.float16Bits)
    case .bfloat16: store(\.bfloat16Bits)
    case .float64: store { Double($0).bitPattern }
    default: store(\.bitPattern)
    }
  }

  /// Converts single-precision numbers to elements of a type.
  static func convert(
    _ numbers: [UInt8], to elementType: ElementType
  ) throws(WeighbridgeError) -> [UInt8] {
    guard elementType != .float32 else { return numbers }
    return try unsafe decode(count: numbers.count / 4, elementType) { elements, target in
      // In bounds, and the elements fit in the target.
      let start = 4 * elements.lowerBound
      unsafe numbers.withUnsafeBytes { numbers in
        unsafe UnsafeMutableRawBufferPointer(start: target, count: 4 * elements.count).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: numbers[start..<4 * elements.upperBound]))
      }
    }
  }

  /// Decodes elements on several threads, a part on each.
  ///
  /// - Parameter body: Writes all elements of a part; returns whether it succeeded.
  /// - Throws: As ``ParallelParts/decode(byteCount:parts:_:)``.
  static func decode(
    count: Int, _ elementType: ElementType, parts: Int,
    _ body: @Sendable (_ part: Int, FloatTarget) -> Bool
  ) throws(WeighbridgeError) -> [UInt8] {
    try unsafe ParallelParts.decode(byteCount: count * elementType.byteCount, parts: parts) {
      unsafe body($0, FloatTarget(elementType, $1))
    }
  }

  /// Decodes elements on several threads, in parts of consecutive elements.
  ///
  /// - Parameter body: Writes the numbers of a range of elements.
  static func decode(
    count: Int, _ elementType: ElementType,
    _ body: @Sendable (_ elements: Range<Int>, UnsafeMutablePointer<Float>) -> Void
  ) throws(WeighbridgeError) -> [UInt8] {
    let size = 1 << 16
    return try decode(count: count, elementType, parts: (count + size - 1) / size) {
      part, target in
      // Few enough at a time to stay in the L1 cache together with the other data that `body`
      // needs.
      for start in stride(from: part * size, to: min(part * size + size, count), by: 1 << 12) {
        let elements = start..<min(start + 1 << 12, count)
        unsafe target.write(elements) { unsafe body(elements, $0) }
      }
      return true
    }
  }
}

/// The memory for all elements of a tensor, to which numbers are written.
@safe struct FloatTarget {
  private let elementType: ElementType
  private let memory: UnsafeMutableRawBufferPointer

  fileprivate init(_ elementType: ElementType, _ memory: UnsafeMutableRawBufferPointer) {
    unsafe (self.elementType, self.memory) = unsafe (elementType, memory)
  }

  /// Writes the numbers of a range of elements.
  ///
  /// - Parameter body: Writes exactly that many numbers.
  func write(_ elements: Range<Int>, _ body: (UnsafeMutablePointer<Float>) -> Void) {
    let size = elementType.byteCount
    let part = unsafe UnsafeMutableRawBufferPointer(
      rebasing: memory[elements.lowerBound * size..<elements.upperBound * size])
    guard elementType != .float32 else {
      // Part of an array's memory, aligned to 4 bytes and bound to nothing else.
      if let numbers = unsafe part.baseAddress?.assumingMemoryBound(to: Float.self) {
        unsafe body(numbers)
      }
      return
    }
    unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: elements.count) { numbers in
      guard let start = numbers.baseAddress else { return }
      unsafe body(start)  // initializes all of them
      unsafe FloatElements.store(elements.count, elementType, to: part) { unsafe start[$0] }
    }
  }
}
