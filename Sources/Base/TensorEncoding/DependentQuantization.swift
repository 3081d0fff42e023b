import CKernels

/// Dependent (trellis-coded) quantization: an integer represents an even or an odd multiple of a
/// step, depending on a state that the parities of the integers above it in its column determine.
/// So there are more values than an integer's bits alone can represent. `Schemas/wbm.md` lists the
/// states.
enum DependentQuantization {
  /// The number of rows after which the state of every column is reset.
  static let stripRows = 256
  /// The largest magnitude of an integer: twice that fits in 32 bits.
  static let largest = 1 << 30 - 1

  /// Returns the multiples that integers represent, row-major.
  static func multiples(of integers: [Int32], columns: Int) -> [Int32] {
    var multiples = integers
    unsafe multiples.withUnsafeMutableBytes { elements in
      guard columns > 0 else { return }
      let rows = elements.count / 4 / columns
      for first in stride(from: 0, to: rows, by: stripRows) {
        unsafe reconstruct(
          first..<min(first + stripRows, rows), 0..<columns, of: columns, elements
        ) { _ in nil }
      }
    }
    return multiples
  }

  /// Replaces integers by multiples, or by values if there is a step.
  ///
  /// - Parameters:
  ///   - rows: The rows of a strip.
  ///   - columns: A range of the `width` columns of the matrix in memory, whose elements have 4
  ///     bytes.
  ///   - step: Returns the step of a row; `nil` for multiples.
  static func reconstruct(
    _ rows: Range<Int>, _ columns: Range<Int>, of width: Int,
    _ memory: UnsafeMutableRawBufferPointer, step: (Int) -> Float?
  ) {
    guard let start = memory.baseAddress else { return }
    var states = [UInt32](repeating: 0, count: columns.count)
    for row in rows {
      // The caller's matrix has these rows and columns.
      let elements = unsafe (start + 4 * (row * width + columns.lowerBound))
        .assumingMemoryBound(to: UInt8.self)
      if var step = step(row) {
        unsafe elements_follow(elements, columns.count, &states, &step)
      } else {
        unsafe elements_follow(elements, columns.count, &states, nil)
      }
    }
  }
}

extension RANSLayout {
  /// The columns that one thread processes at a time.
  private static let tileColumns = 1024

  /// Replaces the decoded integers by values.
  func reconstruct(_ elements: inout [UInt8]) {
    let strips = (rows + DependentQuantization.stripRows - 1) / DependentQuantization.stripRows
    let tiles = (columns + Self.tileColumns - 1) / Self.tileColumns
    unsafe ParallelParts.update(&elements, parts: strips * tiles) { part, memory in
      let (row, column) = (
        part / tiles * DependentQuantization.stripRows, part % tiles * Self.tileColumns
      )
      unsafe DependentQuantization.reconstruct(
        row..<min(row + DependentQuantization.stripRows, rows),
        column..<min(column + Self.tileColumns, columns), of: columns, memory
      ) { steps[steps.count == 1 ? 0 : $0] }
    }
  }
}
