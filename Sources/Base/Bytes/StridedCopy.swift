/// Copies an array given by strides into row-major order.
///
/// All weights are transposed here from a source's axis order to the canonical one, so it is
/// optimized for memory traffic: tiling over two axes keeps both the reads and the writes inside
/// cache lines.
package struct StridedCopy: Sendable {
  /// The result's size along each axis, outermost first, with axes merged where possible.
  private var shape: [Int]
  /// The source's distance between adjacent elements along each axis, in elements; may be negative.
  private var strides: [Int]
  private let elementSize: Int

  /// Prepares a copy.
  ///
  /// - Parameters:
  ///   - shape: The result's sizes, outermost first.
  ///   - strides: The source's distance between adjacent elements along each axis, in elements.
  ///   - elementSize: The size of one element: 1, 2, 4 or 8 bytes.
  package init(shape: [Int], strides: [Int], elementSize: Int) {
    precondition(shape.count == strides.count && [1, 2, 4, 8].contains(elementSize))
    self.elementSize = elementSize
    self.shape = []
    self.strides = []
    for (dimension, stride) in zip(shape, strides) where dimension != 1 {
      if let last = self.strides.last, last == stride * dimension {
        self.shape[self.shape.count - 1] *= dimension
        self.strides[self.strides.count - 1] = stride
      } else {
        self.shape.append(dimension)
        self.strides.append(stride)
      }
    }
  }

  /// Copies to the start of `output`, which must be large enough for the whole result.
  ///
  /// - Parameters:
  ///   - input: The source's bytes.
  ///   - offset: The byte offset in `input` of the result's first element.
  ///   - output: Receives the elements in row-major order. (It is consumed because in Swift 6.2 a
  ///     method cannot take an `inout` span together with another span.)
  package func copy(
    from input: RawSpan, offset: Int, into output: consuming MutableRawSpan
  ) {
    guard !shape.contains(0) else { return }
    precondition(output.byteCount >= shape.reduce(elementSize, *), "the output is too small")
    checkBounds(input.byteCount, offset)
    // Every address below is that of one of the result's elements, the first and last of which
    // were just checked.
    unsafe input.withUnsafeBytes { source in
      unsafe output.withUnsafeMutableBytes { target in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        switch elementSize {
        case 1: unsafe copy(source + offset, target, as: UInt8.self)
        case 2: unsafe copy(source + offset, target, as: UInt16.self)
        case 4: unsafe copy(source + offset, target, as: UInt32.self)
        default: unsafe copy(source + offset, target, as: UInt64.self)
        }
      }
    }
  }

  /// Traps unless the first and last element by address are inside the source.
  private func checkBounds(_ byteCount: Int, _ offset: Int) {
    var lowest = offset
    var highest = offset
    for (dimension, stride) in zip(shape, strides) {
      let distance = (dimension - 1) * stride * elementSize
      if distance < 0 { lowest += distance } else { highest += distance }
    }
    precondition(lowest >= 0 && highest + elementSize <= byteCount, "the source is too short")
  }

  private func copy<Element: BitwiseCopyable>(
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, as type: Element.Type
  ) {
    if shape.isEmpty || (shape.count == 1 && strides[0] == 1) {
      unsafe target.copyMemory(from: source, byteCount: (shape.first ?? 1) * elementSize)
      return
    }
    // The axis along which the source is contiguous, when it is not the innermost one.
    let contiguousAxis = strides.firstIndex(of: 1) ?? shape.count - 1
    if contiguousAxis == shape.count - 1 {
      unsafe copyRows(source, target, axis: 0, as: type)
    } else {
      unsafe copyTiles(source, target, contiguousAxis: contiguousAxis, as: type)
    }
  }

  /// Iterates over all axes but the innermost, copying a row at a time.
  private func copyRows<Element: BitwiseCopyable>(
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, axis: Int, as type: Element.Type
  ) {
    let (dimension, stride) = (shape[axis], strides[axis] * elementSize)
    if axis == shape.count - 1 {
      if strides[axis] == 1 {
        unsafe target.copyMemory(from: source, byteCount: dimension * elementSize)
        return
      }
      for index in 0..<dimension {
        unsafe target.storeBytes(
          of: (source + index * stride).loadUnaligned(as: type),
          toByteOffset: index * elementSize, as: type)
      }
      return
    }
    let step = shape[(axis + 1)...].reduce(elementSize, *)
    for index in 0..<dimension {
      unsafe copyRows(source + index * stride, target + index * step, axis: axis + 1, as: type)
    }
  }

  /// Copies an array whose source is contiguous along an axis that is not the innermost of the
  /// result.
  private func copyTiles<Element: BitwiseCopyable>(
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, contiguousAxis axis: Int,
    as type: Element.Type
  ) {
    let outer = Self.offsets(Array(shape[..<axis]), Array(strides[..<axis]))
    let inner = Self.offsets(Array(shape[(axis + 1)...]), Array(strides[(axis + 1)...]))
    let rowSize = inner.count * elementSize
    for (block, offset) in outer.enumerated() {
      unsafe copyBlock(
        source + offset * elementSize, target + block * shape[axis] * rowSize, rows: shape[axis],
        columns: inner, as: type)
    }
  }

  /// Copies rows that are contiguous in the result from columns that are contiguous in the source:
  /// whole blocks first, then the remaining elements.
  ///
  /// - Parameter columns: The offset of each column in the source, in elements.
  private func copyBlock<Element: BitwiseCopyable>(
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, rows: Int, columns: [Int],
    as type: Element.Type
  ) {
    let dimension = BlockTranspose.dimension
    let isBlocked = elementSize == 4
    let wholeRows = isBlocked ? rows / dimension * dimension : 0
    let wholeColumns = isBlocked ? columns.count / dimension * dimension : 0
    if wholeRows > 0, wholeColumns > 0 {
      unsafe BlockTranspose.copy(
        source, target, rows: wholeRows, columns: columns[..<wholeColumns],
        rowSize: columns.count * elementSize)
    }
    unsafe copyElements(
      source, target, 0..<wholeRows, wholeColumns..<columns.count, columns, as: type)
    unsafe copyElements(source, target, wholeRows..<rows, 0..<columns.count, columns, as: type)
  }

  /// Copies a part of such a block element by element, in tiles that are one cache line of the
  /// result wide and four cache lines of the source high.
  private func copyElements<Element: BitwiseCopyable>(
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ rows: Range<Int>,
    _ range: Range<Int>, _ columns: [Int], as type: Element.Type
  ) {
    let (height, width) = (256 / elementSize, 64 / elementSize)
    let rowSize = columns.count * elementSize
    for row in stride(from: rows.lowerBound, to: rows.upperBound, by: height) {
      let rowEnd = min(row + height, rows.upperBound)
      for column in stride(from: range.lowerBound, to: range.upperBound, by: width) {
        let columnEnd = min(column + width, range.upperBound)
        for y in row..<rowEnd {
          let targetRow = unsafe target + y * rowSize
          for x in column..<columnEnd {
            unsafe (targetRow + x * elementSize).storeBytes(
              of: (source + (columns[x] + y) * elementSize).loadUnaligned(as: type), as: type)
          }
        }
      }
    }
  }

  /// The offsets of all combinations of indices, row-major, in elements.
  private static func offsets(_ shape: [Int], _ strides: [Int]) -> [Int] {
    var offsets = [0]
    for (dimension, stride) in zip(shape, strides) {
      let outer = offsets
      offsets = []
      offsets.reserveCapacity(outer.count * dimension)
      for offset in outer {
        for index in 0..<dimension { offsets.append(offset + index * stride) }
      }
    }
    return offsets
  }
}
