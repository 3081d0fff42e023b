import Bytes

/// A tensor divided into blocks of one shape; blocks at the end of an axis may be smaller. The
/// blocks are counted row-major.
struct BlockGrid {
  /// How many blocks there are.
  let count: Int
  private let shape: [Int]
  private let blockShape: [Int]
  private let steps: [Int]

  /// - Parameter blockShape: The size of a block along each axis, from 1 on.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it does not fit the tensor.
  init(_ shape: [Int], blockShape: [Int]) throws(WeighbridgeError) {
    let fits =
      shape.count == blockShape.count
      && zip(shape, blockShape).allSatisfy { $1 >= 1 && $1 <= max($0, 1) }
    guard fits else {
      throw WeighbridgeError(
        .malformed, "blocks of \(blockShape) do not divide a tensor of \(shape)")
    }
    let blocks = zip(shape, blockShape).map { ($0 + $1 - 1) / $1 }
    count = try Checked.product(blocks, of: "the number of blocks")
    self.shape = shape
    self.blockShape = blockShape
    var steps = [Int](repeating: 1, count: shape.count)
    for axis in stride(from: shape.count - 2, through: 0, by: -1) {
      steps[axis] = steps[axis + 1] * blocks[axis + 1]
    }
    self.steps = steps
  }

  /// Calls `body` with runs of elements, row-major, that belong to one block each.
  func forEachRun(_ body: (_ elements: Range<Int>, _ block: Int) -> Void) {
    guard let width = shape.last, let blockWidth = blockShape.last else { return body(0..<1, 0) }
    guard !shape.contains(0) else { return }
    var indices = [Int](repeating: 0, count: shape.count)
    var start = 0
    while start < shape.reduce(1, *) {
      var block = 0
      for axis in shape.indices.dropLast() {
        block += indices[axis] / blockShape[axis] * steps[axis]
      }
      for first in stride(from: 0, to: width, by: blockWidth) {
        body(start + first..<start + min(first + blockWidth, width), block)
        block += 1
      }
      start += width
      for axis in shape.indices.dropLast().reversed() {
        indices[axis] += 1
        if indices[axis] < shape[axis] { break }
        indices[axis] = 0
      }
    }
  }
}
