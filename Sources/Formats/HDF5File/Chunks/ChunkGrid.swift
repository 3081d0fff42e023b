import Bytes

/// The division of a dataset into chunks: their positions, and their numbers in indexes.
struct ChunkGrid: Sendable {
  /// The sizes of the dataset and of a chunk in elements, slowest dimension first.
  let shape: [Int]
  let chunkShape: [Int]
  /// The number of chunks along each dimension, now and at most; `nil` without a limit.
  let counts: [Int]
  private let largestCounts: [Int?]
  /// The number of chunks, and the unpacked size of each in bytes.
  let count: Int
  let chunkByteCount: Int

  /// - Throws: ``WeighbridgeError/Code/malformed`` when the chunks do not fit the dataset.
  init(_ layout: ChunkedLayout, _ space: Dataspace) throws(WeighbridgeError) {
    let shape = space.shape ?? []
    guard layout.shape.count == shape.count else {
      throw .malformed("has \(shape.count) dimensions, and chunks with \(layout.shape.count)")
    }
    for (axis, size) in layout.shape.enumerated() {
      guard let largest = space.largestShape[axis], largest > 0, size > largest else { continue }
      throw .malformed(
        "has chunks of \(size) elements along axis \(axis), which has at most \(largest)")
    }
    self.shape = shape
    chunkShape = layout.shape
    counts = zip(shape, chunkShape).map { Self.pieces($0, $1) }
    largestCounts = zip(space.largestShape, chunkShape).map { largest, size in
      largest.map { Self.pieces($0, size) }
    }
    count = try Checked.product(counts, of: "the number of chunks")
    chunkByteCount = try Checked.product(
      chunkShape + [layout.elementSize], of: "the size of a chunk")
  }

  private static func pieces(_ size: Int, _ piece: Int) -> Int {
    size == 0 ? 0 : (size - 1) / piece + 1
  }

  /// The number of an existing chunk in row-major order; `nil` when it is outside.
  func number(of position: [Int]) -> Int? {
    var number = 0
    for (index, count) in zip(position, counts) {
      guard index < count else { return nil }
      number = number * count + index
    }
    return number
  }

  /// The position of a chunk along each dimension.
  func position(of number: Int) -> [Int] {
    var (position, rest) = (counts, number)
    for axis in counts.indices.reversed() {
      position[axis] = rest % max(1, counts[axis])
      rest /= max(1, counts[axis])
    }
    return position
  }

  /// Returns the position of the chunk with a number in an array index. It numbers all chunks that
  /// can ever exist in row-major order, with the unlimited dimension as the slowest.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when several dimensions are unlimited.
  func position(inArray number: Int) throws(WeighbridgeError) -> [Int] {
    let unlimited = largestCounts.indices.filter { largestCounts[$0] == nil }
    guard unlimited.count <= 1 else {
      throw .malformed("has an array of chunks, and \(unlimited.count) dimensions without a bound")
    }
    var (position, rest) = ([Int](repeating: 0, count: counts.count), number)
    for axis in largestCounts.indices.reversed() {
      guard let count = largestCounts[axis], count > 0 else { continue }
      position[axis] = rest % count
      rest /= count
    }
    if let axis = unlimited.first {
      position[axis] = rest
    } else if rest > 0 {
      throw .malformed("has a chunk \(number), behind the last there may be")
    }
    return position
  }

  /// Returns the number of the chunk at a position in an array index.
  func number(inArray position: [Int]) throws(WeighbridgeError) -> Int {
    var number = 0
    for (axis, index) in position.enumerated() {
      guard let count = largestCounts[axis] else {
        throw .malformed("has an index without room for a growing dimension")
      }
      let (product, overflow) = number.multipliedReportingOverflow(by: count)
      let (sum, carry) = product.addingReportingOverflow(index)
      guard !overflow, !carry else { throw .malformed("has a chunk beyond any file") }
      number = sum
    }
    return number
  }

  /// Whether a chunk extends beyond the edge of the dataset.
  func isPartial(_ position: [Int]) -> Bool {
    for (axis, index) in position.enumerated()
    where (index + 1) * chunkShape[axis] > shape[axis] { return true }
    return false
  }
}
