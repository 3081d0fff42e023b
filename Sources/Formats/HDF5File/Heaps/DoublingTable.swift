import Bytes

/// The layout of the blocks of a fractal heap (HDF5 file format specification 3.0, section III.G):
/// rows with the same number of blocks. Those of the first two rows have the smallest size, those
/// of each further row twice the size of the row before.
struct DoublingTable: Sendable {
  /// The number of blocks in a row.
  let width: Int
  /// The size of a block of the first row in bytes.
  let startSize: Int
  /// The number of rows whose blocks contain objects ("direct blocks"); blocks of further rows are
  /// tables of blocks ("indirect blocks").
  let directRowCount: Int
  /// The size of the largest block that contains objects.
  let largestDirectSize: Int

  /// Checks that the sizes are powers of two, which all of the arithmetic requires.
  init(
    width: Int, startSize: Int, largestDirectSize: Int, heapBits: Int, _ field: Cursor
  ) throws(WeighbridgeError) {
    let arePowersOfTwo = [width, startSize, largestDirectSize].allSatisfy {
      $0 > 0 && $0.nonzeroBitCount == 1
    }
    guard arePowersOfTwo, startSize <= largestDirectSize, largestDirectSize <= 1 << 31,
      width <= 1 << 15, (1...62).contains(heapBits)
    else {
      throw field.failure(
        "the fractal heap is invalid: \(width) blocks in a row, of \(startSize) to "
          + "\(largestDirectSize) bytes, and \(heapBits) bits for positions")
    }
    self.width = width
    self.startSize = startSize
    self.largestDirectSize = largestDirectSize
    directRowCount =
      largestDirectSize.trailingZeroBitCount - startSize.trailingZeroBitCount + 2
  }

  /// Returns the size of a block in a row.
  func blockSize(row: Int) -> Int { startSize << max(0, row - 1) }

  /// Returns the row and the index of the block that covers a position in a table, and the block's
  /// start.
  func block(at position: Int) -> (row: Int, entry: Int, start: Int) {
    let rowUnits = position / (startSize * width)
    let row = rowUnits == 0 ? 0 : rowUnits.bitWidth - rowUnits.leadingZeroBitCount
    let rowStart = row == 0 ? 0 : (startSize * width) << (row - 1)
    let column = (position - rowStart) / blockSize(row: row)
    return (row, row * width + column, rowStart + column * blockSize(row: row))
  }

  /// Returns the number of rows of a table that covers `byteCount` bytes.
  func rowCount(covering byteCount: Int) -> Int {
    byteCount.trailingZeroBitCount - (startSize * width).trailingZeroBitCount + 1
  }
}
