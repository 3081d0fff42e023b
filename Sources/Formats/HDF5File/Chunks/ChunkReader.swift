import Bytes

/// Assembles the elements of a chunked dataset.
struct ChunkReader {
  let file: FileBytes
  let layout: ChunkedLayout
  let grid: ChunkGrid
  let pipeline: FilterPipeline
  /// The largest size of all decoded chunks together in bytes.
  let limit: Int

  /// Writes all stored chunks to `output`, which contains the dataset in row-major order.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` at the offset of a damaged chunk.
  func read(into output: inout [UInt8]) throws(WeighbridgeError) {
    try visit { (chunk) throws(WeighbridgeError) in
      let coordinates = grid.coordinates(of: chunk.number)
      let bytes = try locating({ $0.at(.byte(chunk.range.lowerBound)) }) {
        () throws(WeighbridgeError) in try decoded(chunk, coordinates)
      }
      copy(bytes, at: coordinates, into: &output)
    }
  }

  /// Rejects chunks that are packed with a filter that cannot be decoded.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported``; as ``read(into:)``.
  func checkFilters() throws(WeighbridgeError) {
    try visit { (chunk) throws(WeighbridgeError) in
      try pipeline(at: grid.coordinates(of: chunk.number)).check(mask: chunk.filterMask)
    }
  }

  private func visit(
    _ visit: (StoredChunk) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    var index = ChunkIndexReader(file, layout, grid, isFiltered: !pipeline.steps.isEmpty)
    try index.visit(atMost: limit, visit)
  }

  /// The filters of the chunk with some coordinates.
  private func pipeline(at coordinates: [Int]) -> FilterPipeline {
    layout.leavesEdgesUnfiltered && grid.isPartial(coordinates) ? .none : pipeline
  }

  private func decoded(
    _ chunk: StoredChunk, _ coordinates: [Int]
  ) throws(WeighbridgeError) -> [UInt8] {
    let stored = file.copy(chunk.range)
    return try pipeline(at: coordinates).decode(
      stored, mask: chunk.filterMask, to: grid.chunkByteCount)
  }

  /// Copies the part of a chunk that is inside the dataset to its position in the dataset.
  private func copy(_ chunk: [UInt8], at coordinates: [Int], into output: inout [UInt8]) {
    let rank = grid.shape.count
    // Inner dimensions that the chunk covers entirely are contiguous with the first dimension that
    // it does not cover, so they are copied together.
    var axis = rank - 1
    var innerByteCount = grid.elementSize
    while axis > 0, grid.chunkShape[axis] == grid.shape[axis] {
      innerByteCount *= grid.shape[axis]
      axis -= 1
    }
    let starts = zip(coordinates, grid.chunkShape).map { $0 * $1 }
    let sizes = (0..<rank).map { min(grid.chunkShape[$0], grid.shape[$0] - starts[$0]) }
    let length = sizes[axis] * innerByteCount
    var index = [Int](repeating: 0, count: axis)
    while true {
      var (source, target) = (0, 0)
      for (outer, offset) in index.enumerated() {
        source = source * grid.chunkShape[outer] + offset
        target = target * grid.shape[outer] + starts[outer] + offset
      }
      source *= grid.chunkShape[axis] * innerByteCount
      target = (target * grid.shape[axis] + starts[axis]) * innerByteCount
      output.replaceSubrange(target..<target + length, with: chunk[source..<source + length])
      guard let next = index.indices.last(where: { index[$0] + 1 < sizes[$0] }) else { return }
      index[next] += 1
      for inner in next + 1..<axis { index[inner] = 0 }
    }
  }
}
