import Bytes

/// The division of a dataset into chunks: their coordinates in the grid, and their numbers in
/// indexes.
struct ChunkGrid: Sendable {
  /// The sizes of the dataset and of a chunk in elements, slowest dimension first.
  let shape: [Int]
  let chunkShape: [Int]
  /// The number of chunks along each dimension.
  let counts: [Int]
  /// The maximum number of chunks along each dimension; `nil` without a limit.
  private let maximumCounts: [Int?]
  /// The dimensions without a limit.
  private let unlimitedAxes: [Int]
  /// The number of chunks.
  let count: Int
  /// The size of an element, and the decoded size of a chunk, in bytes.
  let elementSize: Int
  let chunkByteCount: Int

  /// - Throws: ``WeighbridgeError/Code/malformed`` when the chunks do not fit the dataset.
  init(
    _ layout: ChunkedLayout, _ space: Dataspace, elementSize: Int
  ) throws(WeighbridgeError) {
    guard layout.elementSize ?? elementSize == elementSize else {
      throw .malformed(
        "has elements of \(elementSize) bytes, but chunks with elements of "
          + "\(layout.elementSize ?? 0)")
    }
    self.elementSize = elementSize
    let shape = space.shape ?? []
    guard layout.shape.count == shape.count else {
      throw .malformed("has \(shape.count) dimensions, but chunks with \(layout.shape.count)")
    }
    self.shape = shape
    chunkShape = layout.shape
    counts = zip(shape, chunkShape).map { Self.chunkCount($0, $1) }
    maximumCounts = zip(space.maximumShape, chunkShape).map { maximum, size in
      maximum.map { Self.chunkCount($0, size) }
    }
    unlimitedAxes = space.maximumShape.indices.filter { space.maximumShape[$0] == nil }
    count = try Checked.product(counts, of: "the number of chunks")
    chunkByteCount = try Checked.product(
      chunkShape + [elementSize], of: "the size of a chunk")
  }

  private static func chunkCount(_ size: Int, _ chunkSize: Int) -> Int {
    size == 0 ? 0 : (size - 1) / chunkSize + 1
  }

  /// Returns the number of an existing chunk in row-major order; `nil` if it is outside the grid.
  func number(of coordinates: [Int]) -> Int? {
    var number = 0
    for (index, count) in zip(coordinates, counts) {
      guard index < count else { return nil }
      number = number * count + index
    }
    return number
  }

  /// Returns the coordinates of a chunk in the grid.
  func coordinates(of number: Int) -> [Int] {
    var (coordinates, remaining) = (counts, number)
    for axis in counts.indices.reversed() {
      coordinates[axis] = remaining % max(1, counts[axis])
      remaining /= max(1, counts[axis])
    }
    return coordinates
  }

  /// Returns the coordinates of the chunk with a number in an array index. Such an index numbers
  /// all chunks that can ever exist in row-major order, with the unlimited dimension as the
  /// slowest.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when several dimensions are unlimited.
  func coordinates(inArray number: Int) throws(WeighbridgeError) -> [Int] {
    guard unlimitedAxes.count <= 1 else {
      throw .malformed(
        "has an array of chunks, but \(unlimitedAxes.count) dimensions without a bound")
    }
    var (coordinates, remaining) = ([Int](repeating: 0, count: counts.count), number)
    for axis in maximumCounts.indices.reversed() {
      guard let count = maximumCounts[axis], count > 0 else { continue }
      coordinates[axis] = remaining % count
      remaining /= count
    }
    if let axis = unlimitedAxes.first {
      coordinates[axis] = remaining
    } else if remaining > 0 {
      throw .malformed("has a chunk \(number), beyond the last possible chunk")
    }
    return coordinates
  }

  /// Returns the number in an array index of the chunk with some coordinates.
  func number(inArray coordinates: [Int]) throws(WeighbridgeError) -> Int {
    var number = 0
    for (axis, index) in coordinates.enumerated() {
      guard let count = maximumCounts[axis] else {
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
  func isPartial(_ coordinates: [Int]) -> Bool {
    for (axis, index) in coordinates.enumerated()
    where (index + 1) * chunkShape[axis] > shape[axis] { return true }
    return false
  }
}
