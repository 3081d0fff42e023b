import Bytes

/// How the blocks of a fractal heap are laid out (HDF5 file format specification 3.0, section III.G):
/// rows of equally many blocks, the first two rows of the smallest size, each further one of twice
/// the size of the row before.
struct DoublingTable: Sendable {
  /// How many blocks a row has.
  let width: Int
  /// The size of a block of the first row in bytes.
  let startSize: Int
  /// How many rows hold objects themselves; the blocks of further ones are tables of blocks.
  let directRowCount: Int
  /// The size of the largest block that holds objects.
  let largestDirectSize: Int

  /// Checks that the sizes are powers of two, of which all of the arithmetic makes use.
  init(
    width: Int, startSize: Int, largestDirectSize: Int, heapBits: Int, _ place: Cursor
  ) throws(WeighbridgeError) {
    let isPlain = [width, startSize, largestDirectSize].allSatisfy {
      $0 > 0 && $0.nonzeroBitCount == 1
    }
    guard isPlain, startSize <= largestDirectSize, largestDirectSize <= 1 << 31, width <= 1 << 15,
      (1...62).contains(heapBits)
    else {
      throw place.failure(
        "the fractal heap has \(width) blocks in a row, of \(startSize) to \(largestDirectSize) "
          + "bytes, and \(heapBits) bits for positions")
    }
    self.width = width
    self.startSize = startSize
    self.largestDirectSize = largestDirectSize
    directRowCount =
      largestDirectSize.trailingZeroBitCount - startSize.trailingZeroBitCount + 2
  }

  /// The size of a block in a row.
  func blockSize(row: Int) -> Int { startSize << max(0, row - 1) }

  /// The row of the block that covers a position in a table, where the block is in the table's order,
  /// and at which position it begins.
  func block(at position: Int) -> (row: Int, entry: Int, start: Int) {
    let first = position / (startSize * width)
    let row = first == 0 ? 0 : first.bitWidth - first.leadingZeroBitCount
    let rowStart = row == 0 ? 0 : (startSize * width) << (row - 1)
    let column = (position - rowStart) / blockSize(row: row)
    return (row, row * width + column, rowStart + column * blockSize(row: row))
  }

  /// How many rows a table has that covers so many bytes.
  func rowCount(covering byteCount: Int) -> Int {
    byteCount.trailingZeroBitCount - (startSize * width).trailingZeroBitCount + 1
  }
}
