package import Bytes

/// Integers of any size times a step, entropy-coded with static tables for each class of rows.
///
/// The first axis of a tensor is its rows; a tensor of fewer than two axes has one row. Rows of one
/// class are consecutive and coded in separate chunks, so that several cores can decode even a
/// single tensor.
package enum RANSIntegers {
  /// The integers of a tensor, and the steps by which its rows are multiplied.
  package struct Content: Sendable {
    /// The integers, row-major.
    package var integers: [Int32]
    /// One number, or one for each row.
    package var steps: [Float]
    /// Whether the integers represent multiples of the steps by dependent quantization; they are
    /// then below 2^30 in magnitude.
    package var isDependent: Bool

    /// Creates the content from its parts.
    package init(integers: [Int32], steps: [Float], isDependent: Bool = false) {
      self.integers = integers
      self.steps = steps
      self.isDependent = isDependent
    }

    /// Returns the multiples of the steps, row-major: the integers themselves, unless quantization
    /// is dependent.
    package func multiples(shape: [Int]) -> [Int32] {
      guard isDependent else { return integers }
      return DependentQuantization.multiples(
        of: integers, columns: RANSIntegers.matrix(shape).columns)
    }

    /// Returns the decoded values: each multiple times its row's step, in single precision.
    package func numbers(shape: [Int]) -> [Float] {
      let (rows, columns) = RANSIntegers.matrix(shape)
      let multiples = multiples(shape: shape)
      var numbers = [Float](repeating: 0, count: multiples.count)
      var span = numbers.mutableSpan
      for row in 0..<rows {
        let step = steps[steps.count == 1 ? 0 : row]
        for index in row * columns..<(row + 1) * columns {
          span[index] = Float(multiples[index]) * step
        }
      }
      return numbers
    }
  }

  /// Returns the numbers of rows and columns of the matrix as which a tensor is coded.
  package static func matrix(_ shape: [Int]) -> (rows: Int, columns: Int) {
    let count = shape.reduce(1, *)
    guard shape.count > 1, count > 0, let rows = shape.first else { return (1, count) }
    return (rows, count / rows)
  }

  /// Decodes values.
  static func decode(
    _ bytes: RawSpan, _ elementType: ElementType, shape: [Int]
  ) throws(WeighbridgeError) -> [UInt8] {
    let layout = try RANSLayout(bytes, shape: shape)
    guard !layout.isDependent else {
      var numbers = try integers(bytes, layout)
      layout.reconstruct(&numbers)
      return try FloatElements.convert(numbers, to: elementType)
    }
    return try unsafe bytes.withUnsafeBytes { (bytes) throws(WeighbridgeError) in
      nonisolated(unsafe) let source = unsafe bytes  // only read, until all threads have finished
      return try FloatElements.decode(
        count: layout.count, elementType, parts: layout.chunks.count
      ) { unsafe layout.decode(layout.chunks[$0], source, to: $1) }
    }
  }

  /// Returns the integers as they are stored, in 4 bytes each.
  private static func integers(
    _ bytes: RawSpan, _ layout: RANSLayout
  ) throws(WeighbridgeError) -> [UInt8] {
    try unsafe bytes.withUnsafeBytes { (bytes) throws(WeighbridgeError) in
      nonisolated(unsafe) let source = unsafe bytes  // only read, until all threads have finished
      return try unsafe ParallelParts.decode(
        byteCount: layout.count * 4, parts: layout.chunks.count
      ) {
        unsafe layout.decode(layout.chunks[$0], source, integersTo: $1)
      }
    }
  }

  /// Reads the integers and steps as they are stored.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the bytes are not what an encoder writes.
  package static func content(
    _ bytes: RawSpan, shape: [Int]
  ) throws(WeighbridgeError) -> Content {
    let layout = try RANSLayout(bytes, shape: shape)
    let stored = try integers(bytes, layout)
    let words = unsafe stored.span.bytes.words(layout.count, at: 0)
    return Content(
      integers: words.map(Int32.init(bitPattern:)), steps: layout.steps,
      isDependent: layout.isDependent)
  }
}
