import Bytes

/// A tensor divided into blocks of one shape; blocks at the end of an axis may be smaller. The
/// blocks are counted row-major.
struct BlockGrid {
  /// How many blocks there are.
  let count: Int
  /// How many elements there are.
  let elementCount: Int
  /// The elements of a block that are neighbours in memory.
  var blockWidth: Int { axes[axes.count - 1].block }
  private let axes: [Axis]

  /// An axis, or several of which the inner ones are not divided.
  private struct Axis {
    /// The sizes of the tensor and of a block along it.
    var size, block: Int
    /// How many blocks there are along it.
    var blocks: Int { (size + block - 1) / block }
  }

  /// - Parameter blockShape: The size of a block along each axis, from 1 on.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it does not fit the tensor.
  init(_ shape: [Int], blockShape: [Int]) throws(WeighbridgeError) {
    let fits =
      shape.count == blockShape.count
      && zip(shape, blockShape).allSatisfy { $1 >= 1 && $1 <= max($0, 1) }
    guard fits else {
      throw .malformed("blocks of \(blockShape) do not divide a tensor of \(shape)")
    }
    elementCount = try Checked.product(shape, of: "the number of elements")
    let all = zip(shape, blockShape).map { Axis(size: $0, block: $1) }
    count = try Checked.product(all.map(\.blocks), of: "the number of blocks")
    axes = elementCount == 0 ? [Axis(size: 1, block: 1)] : Self.joined(all)
  }

  /// Axes in place of which fewer divide the elements alike, so that neighbours in memory of one block are
  /// elements of one row.
  private static func joined(_ axes: [Axis]) -> [Axis] {
    var joined = [Axis(size: 1, block: 1)]
    for axis in axes {
      let last = joined.count - 1
      if joined[last].size == 1 {
        joined[last] = axis
      } else if axis.block == axis.size {
        joined[last].size *= axis.size
        joined[last].block *= axis.size
      } else {
        joined.append(axis)
      }
    }
    return joined
  }

  /// Calls `body` with the parts of rows that a run of elements, row-major, consists of.
  ///
  /// - Parameter body: Takes some elements, the column of the first, and the block with column 0 of their row.
  func forEachRow(in range: Range<Int>, _ body: (Range<Int>, _ column: Int, _ block: Int) -> Void) {
    let width = axes[axes.count - 1].size
    var start = range.lowerBound
    while start < range.upperBound {
      let (row, column) = start.quotientAndRemainder(dividingBy: width)
      let end = min(start - column + width, range.upperBound)
      body(start..<end, column, firstBlock(ofRow: row))
      start = end
    }
  }

  private func firstBlock(ofRow row: Int) -> Int {
    var (row, block, step) = (row, 0, axes[axes.count - 1].blocks)
    for axis in axes.dropLast().reversed() {
      let (rest, index) = row.quotientAndRemainder(dividingBy: axis.size)
      block += index / axis.block * step
      step *= axis.blocks
      row = rest
    }
    return block
  }
}
