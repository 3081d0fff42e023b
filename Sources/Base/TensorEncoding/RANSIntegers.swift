package import Bytes
import CKernels

/// Integers of any size times a step, entropy-coded with static tables by class of rows.
///
/// The first axis of a tensor counts its rows; a tensor of fewer than two axes has one row. Rows of
/// one class stand one behind the other and are coded in chunks of their own, so several cores may
/// decode, and one tensor alone.
package enum RANSIntegers {
  /// The integers of a tensor, and by what each row is multiplied.
  package struct Content: Sendable {
    /// The integers, row-major.
    package var integers: [Int32]
    /// One number, or one for each row.
    package var steps: [Float]
    /// Whether the integers stand for multiples of the steps by dependent quantization, which then are
    /// below 2^30 in magnitude.
    package var isDependent: Bool

    /// Puts integers and steps together.
    package init(integers: [Int32], steps: [Float], isDependent: Bool = false) {
      self.integers = integers
      self.steps = steps
      self.isDependent = isDependent
    }

    /// The multiples of the steps, row-major: the integers themselves, unless quantization is dependent.
    package func multiples(shape: [Int]) -> [Int32] {
      guard isDependent else { return integers }
      return DependentSteps.multiples(of: integers, columns: RANSIntegers.matrix(shape).columns)
    }

    /// What decoding gives: each multiple times its row's step, in single precision.
    package func numbers(shape: [Int]) -> [Float] {
      let (rows, columns) = RANSIntegers.matrix(shape)
      let multiples = multiples(shape: shape)
      var numbers = [Float](repeating: 0, count: multiples.count)
      var target = numbers.mutableSpan
      for row in 0..<rows {
        let step = steps[steps.count == 1 ? 0 : row]
        for index in row * columns..<(row + 1) * columns {
          target[index] = Float(multiples[index]) * step
        }
      }
      return numbers
    }
  }

  /// The rows and columns as which a tensor is coded.
  package static func matrix(_ shape: [Int]) -> (rows: Int, columns: Int) {
    let count = shape.reduce(1, *)
    guard shape.count > 1, count > 0, let rows = shape.first else { return (1, count) }
    return (rows, count / rows)
  }

  /// Decodes numbers.
  static func decode(
    _ bytes: RawSpan, _ elementType: ElementType, shape: [Int]
  ) throws(WeighbridgeError) -> [UInt8] {
    let layout = try RANSLayout(bytes, shape: shape)
    // Safe: threads only read the bytes, and have ended when `decode` returns.
    var numbers = try bytes.withUnsafeBytes { (bytes) throws(WeighbridgeError) in
      nonisolated(unsafe) let source = bytes
      return try ParallelParts.decode(byteCount: layout.count * 4, parts: layout.chunks.count) {
        layout.decode($0, source, to: $1)
      }
    }
    if layout.isDependent { layout.follow(&numbers) }
    guard elementType != .float32 else { return numbers }
    return FloatElements.bytes(count: layout.count, elementType) {
      numbers.span.bytes.unsafeLoadUnaligned(fromByteOffset: 4 * $0, as: Float.self)
    }
  }

  /// The integers and steps as they are stored.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the bytes are not what an encoder writes.
  package static func content(
    _ bytes: RawSpan, shape: [Int]
  ) throws(WeighbridgeError) -> Content {
    let layout = try RANSLayout(bytes, shape: shape)
    var integers = [Int32](repeating: 0, count: layout.count)
    for chunk in layout.chunks {
      let decoded = bytes.withUnsafeBytes { layout.integers(of: chunk, $0) }
      guard let decoded else { throw layout.damaged(chunk) }
      layout.forEachRun(of: chunk) { row, elements, first in
        for (offset, element) in elements.enumerated() {
          integers[element] = decoded[first + offset]
        }
      }
    }
    return Content(
      integers: integers, steps: layout.steps, isDependent: layout.isDependent)
  }
}
