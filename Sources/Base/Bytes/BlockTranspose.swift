import CSystemCalls

/// Transposes matrices of four-byte elements in blocks of 16 x 16, each as wide as a cache line of
/// either side.
///
/// The cache lines of a block are often whole pages apart and then map to the same cache set, which
/// holds fewer than 16. So a block is first gathered in a buffer of 1 KB: each line of the source
/// is read once and each line of the result written once (measured: 63 MB in 11 ms instead of 30 ms
/// element by element).
enum BlockTranspose {
  /// The rows and columns of a block.
  static let dimension = 16
  private static let lineSize = dimension * MemoryLayout<UInt32>.size

  /// Copies rows that are contiguous in the result from columns that are contiguous in the source.
  ///
  /// - Parameters:
  ///   - source: The first element of the first row.
  ///   - target: The result's start.
  ///   - rows: The number of rows; a multiple of 16.
  ///   - columns: The offset of each column in the source, in elements.
  ///   - rowSize: The distance between rows of the result in bytes.
  static func copy(
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, rows: Int,
    columns: ArraySlice<Int>, rowSize: Int
  ) {
    unsafe withUnsafeTemporaryAllocation(byteCount: dimension * lineSize, alignment: lineSize) {
      buffer in
      guard let block = buffer.baseAddress else { return }
      unsafe columns.withUnsafeBufferPointer { columns in
        // Four blocks below each other, so that a page of the source is visited a quarter as
        // often.
        for top in stride(from: 0, to: rows, by: 4 * dimension) {
          let bottom = min(top + 4 * dimension, rows)
          for left in stride(from: 0, to: columns.count, by: dimension) {
            unsafe prefetch(source, columns, left + dimension, top..<bottom)
            for row in stride(from: top, to: bottom, by: dimension) {
              for column in 0..<dimension {
                // In bounds: `columns` and `rows` are multiples of a block's size.
                let line =
                  unsafe source + (columns[left &+ column] &+ row) &* MemoryLayout<UInt32>.size
                unsafe (block + column * lineSize).copyMemory(from: line, byteCount: lineSize)
              }
              unsafe transpose(
                block, target + row * rowSize + left * MemoryLayout<UInt32>.size, rowSize: rowSize)
            }
          }
        }
      }
    }
  }

  /// Prefetches the lines of the next blocks while these are transposed: the lines are too far
  /// apart for the processor to predict.
  @inline(__always)
  private static func prefetch(
    _ source: UnsafeRawPointer, _ columns: UnsafeBufferPointer<Int>, _ left: Int,
    _ rows: Range<Int>
  ) {
    guard left < columns.count else { return }
    for column in left..<left + dimension {
      for row in stride(from: rows.lowerBound, to: rows.upperBound, by: dimension) {
        unsafe system_prefetch(source + (columns[column] &+ row) &* MemoryLayout<UInt32>.size)
      }
    }
  }

  /// Writes a block of 16 lines of 16 elements as 16 rows.
  private static func transpose(
    _ block: UnsafeMutableRawPointer, _ target: UnsafeMutableRawPointer, rowSize: Int
  ) {
    for row in stride(from: 0, to: lineSize, by: 16) {
      for column in stride(from: 0, to: dimension, by: 4) {
        let corner = unsafe UnsafeRawPointer(block) + column * lineSize + row
        let a = unsafe corner.load(as: SIMD4<UInt32>.self)
        let b = unsafe (corner + lineSize).load(as: SIMD4<UInt32>.self)
        let c = unsafe (corner + 2 * lineSize).load(as: SIMD4<UInt32>.self)
        let d = unsafe (corner + 3 * lineSize).load(as: SIMD4<UInt32>.self)
        let (abLow, abHigh) = (SIMD4(a[0], b[0], a[1], b[1]), SIMD4(a[2], b[2], a[3], b[3]))
        let (cdLow, cdHigh) = (SIMD4(c[0], d[0], c[1], d[1]), SIMD4(c[2], d[2], c[3], d[3]))
        let first = unsafe target + row / 4 * rowSize + column * MemoryLayout<UInt32>.size
        unsafe store(SIMD4(lowHalf: abLow.lowHalf, highHalf: cdLow.lowHalf), first)
        unsafe store(SIMD4(lowHalf: abLow.highHalf, highHalf: cdLow.highHalf), first + rowSize)
        unsafe store(SIMD4(lowHalf: abHigh.lowHalf, highHalf: cdHigh.lowHalf), first + 2 * rowSize)
        unsafe store(
          SIMD4(lowHalf: abHigh.highHalf, highHalf: cdHigh.highHalf), first + 3 * rowSize)
      }
    }
  }

  @inline(__always)
  private static func store(_ elements: SIMD4<UInt32>, _ target: UnsafeMutableRawPointer) {
    unsafe target.storeBytes(of: elements, as: SIMD4<UInt32>.self)
  }
}
