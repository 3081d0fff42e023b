import Bytes

/// A tensor divided into blocks of one shape; blocks at the end of an axis may be smaller. The
/// blocks are numbered in row-major order.
struct BlockGrid {
  /// The number of blocks.
  let count: Int
  /// The number of elements.
  let elementCount: Int
  /// The number of consecutive elements of a block in memory.
  var blockWidth: Int { axes[axes.count - 1].block }
  private let axes: [Axis]

  /// An axis, or several merged axes of which only the outermost is divided.
  private struct Axis {
    /// The sizes of the tensor and of a block along the axis.
    var size, block: Int
    /// The number of blocks along the axis.
    var blocks: Int { (size + block - 1) / block }
  }

  /// - Parameter blockShape: The size of a block along each axis, at least 1.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it does not fit the tensor.
  init(_ shape: [Int], blockShape: [Int]) throws(WeighbridgeError) {
    let isDivisible =
      shape.count == blockShape.count
      && zip(shape, blockShape).allSatisfy { $1 >= 1 && $1 <= max($0, 1) }
    guard isDivisible else {
      throw .malformed("blocks of \(blockShape) do not divide a tensor of \(shape)")
    }
    elementCount = try Checked.product(shape, of: "the number of elements")
    let allAxes = zip(shape, blockShape).map { Axis(size: $0, block: $1) }
    count = try Checked.product(allAxes.map(\.blocks), of: "the number of blocks")
    axes = elementCount == 0 ? [Axis(size: 1, block: 1)] : Self.merged(allAxes)
  }

  /// Merges axes where this does not change the division, so that consecutive elements of a block
  /// in memory are elements of one row.
  private static func merged(_ axes: [Axis]) -> [Axis] {
    var merged = [Axis(size: 1, block: 1)]
    for axis in axes {
      let last = merged.count - 1
      if merged[last].size == 1 {
        merged[last] = axis
      } else if axis.block == axis.size {
        merged[last].size *= axis.size
        merged[last].block *= axis.size
      } else {
        merged.append(axis)
      }
    }
    return merged
  }

  /// Calls `body` for each part of a row in a range of elements in row-major order.
  ///
  /// - Parameter body: Receives the elements, the column of the first, and the block that contains
  ///   column 0 of their row.
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
      let (quotient, index) = row.quotientAndRemainder(dividingBy: axis.size)
      block += index / axis.block * step
      step *= axis.blocks
      row = quotient
    }
    return block
  }
}
