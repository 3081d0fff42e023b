import Bytes

/// Finds the chunks of a dataset with any kind of index.
struct ChunkIndexReader {
  let file: FileBytes
  let layout: ChunkedLayout
  let grid: ChunkGrid
  let isFiltered: Bool
  private var chunks: [StoredChunk] = []

  init(_ file: FileBytes, _ layout: ChunkedLayout, _ grid: ChunkGrid, isFiltered: Bool) {
    self.file = file
    self.layout = layout
    self.grid = grid
    self.isFiltered = isFiltered
  }

  /// Calls `visit` with each stored chunk, mostly in the order of the file.
  ///
  /// - Parameter limit: The largest size of all decoded chunks together in bytes.
  /// - Throws: As ``read(at:)``; ``WeighbridgeError/Code/limitExceeded``.
  mutating func visit(
    atMost limit: Int, _ visit: (StoredChunk) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard let address = layout.address else { return }
    if case .implicit = layout.index {
      try checkSize(grid.count, limit)
      return try visitImplicit(at: address, visit)
    }
    try read(at: address)
    try checkSize(chunks.count, limit)
    for chunk in chunks { try visit(chunk) }
  }

  private func checkSize(_ count: Int, _ limit: Int) throws(WeighbridgeError) {
    let total = try Checked.product(
      [count, grid.chunkByteCount], of: "the size of all chunks")
    guard total <= limit else {
      throw .limitExceeded("has chunks of \(total) bytes in all, over the limit of \(limit)")
    }
  }

  /// Reads an index. ``chunks`` are then all stored chunks, sorted by file offset.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a chunk is outside the dataset or the file,
  ///   occurs twice or overlaps another.
  private mutating func read(at address: Int) throws(WeighbridgeError) {
    switch layout.index {
    case .bTree1: try readBTree1(at: address)
    case .bTree2: try readBTree2(at: address)
    case .single(let filtered):
      guard grid.count == 1 else {
        throw .malformed("has the index of a single chunk, but \(grid.count) chunks")
      }
      try add(grid.counts.map { _ in 0 }, ArrayElement(address: address, filtered: filtered))
    case .implicit: break  // no list of chunks
    case .fixedArray:
      let array = try FixedArray(at: address, isFiltered: isFiltered, in: file)
      try array.elements { (number, element) throws(WeighbridgeError) in
        try add(grid.coordinates(inArray: number), element)
      }
    case .extensibleArray:
      let array = try ExtensibleArray(at: address, isFiltered: isFiltered, in: file)
      try array.elements { (number, element) throws(WeighbridgeError) in
        try add(grid.coordinates(inArray: number), element)
      }
    }
    try checkOverlaps()
  }

  /// Adds the chunk with some coordinates in the grid.
  private mutating func add(
    _ coordinates: [Int], _ element: ArrayElement
  ) throws(WeighbridgeError) {
    chunks.append(try chunk(coordinates, element))
  }

  private func chunk(
    _ coordinates: [Int], _ element: ArrayElement
  ) throws(WeighbridgeError) -> StoredChunk {
    guard isFiltered == (element.filtered != nil) else {
      throw .malformed(
        "has filters but an index of unfiltered chunks, or "
          + "the reverse; both must agree")
    }
    let byteCount = element.filtered?.byteCount ?? grid.chunkByteCount
    // Compression can slightly enlarge incompressible data; far larger sizes would only waste
    // memory.
    guard byteCount / 2 <= grid.chunkByteCount.addingReportingOverflow(1 << 16).partialValue else {
      throw .malformed(
        "has \(byteCount) bytes stored for a chunk of \(grid.chunkByteCount), "
          + "which must be equal")
    }
    let range = try file.range(at: element.address, byteCount: byteCount, of: "a chunk")
    guard let number = grid.number(of: coordinates) else {
      throw .malformed("has a chunk at \(coordinates), outside of the grid of \(grid.counts)")
        .at(.byte(range.lowerBound))
    }
    return StoredChunk(number: number, range: range, filterMask: element.filtered?.mask ?? 0)
  }

  private mutating func readBTree1(at address: Int) throws(WeighbridgeError) {
    let rank = grid.shape.count
    var tree = BTree1(at: address, .chunks, keySize: 8 + 8 * (rank + 1), in: file)
    while let leaf = try tree.nextLeaf() {
      for child in leaf {
        var key = child.key
        let byteCount = try key.count(4)
        let mask = UInt32(truncatingIfNeeded: try key.unsigned(4))
        var coordinates: [Int] = []
        for size in grid.chunkShape {
          let field = key
          let offset = try key.count(8)
          guard offset.isMultiple(of: size) else {
            throw field.failure("has a chunk at \(offset), which is not a multiple of \(size)")
          }
          coordinates.append(offset / size)
        }
        let filtered = isFiltered ? (byteCount, mask) : nil
        guard isFiltered || byteCount == grid.chunkByteCount else {
          throw child.key.failure(
            "has a chunk of \(byteCount) bytes, where \(grid.chunkByteCount) are expected")
        }
        try add(coordinates, ArrayElement(address: child.address, filtered: filtered))
      }
    }
  }

  private mutating func readBTree2(at address: Int) throws(WeighbridgeError) {
    var tree = try BTree2(at: address, in: file)
    let rank = grid.shape.count
    let filterSize = tree.recordSize - file.widths.offset - 8 * rank
    guard tree.type == (isFiltered ? 11 : 10),
      isFiltered ? (5...12).contains(filterSize) : filterSize == 0
    else {
      throw .malformed(
        "has a B-tree of type \(tree.type) and records of \(tree.recordSize) bytes for "
          + "its chunks, expected type \(isFiltered ? 11 : 10)")
    }
    guard tree.count <= grid.count else {
      throw .malformed("has \(tree.count) chunks, but room for \(grid.count)")
    }
    try tree.visit { (record) throws(WeighbridgeError) in
      var record = record
      let address = try record.address(of: "a chunk")
      var filtered: (byteCount: Int, mask: UInt32)?
      if isFiltered {
        let byteCount = try record.count(filterSize - 4)
        filtered = (byteCount, UInt32(truncatingIfNeeded: try record.unsigned(4)))
      }
      var coordinates: [Int] = []
      for _ in 0..<rank { coordinates.append(try record.count(8)) }
      try add(coordinates, ArrayElement(address: address, filtered: filtered))
    }
  }

  /// Calls `visit` with each chunk of an implicit index. They are consecutive, so no list of them is
  /// necessary.
  private func visitImplicit(
    at address: Int, _ visit: (StoredChunk) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard !isFiltered else { throw .malformed("has filters, but an index for chunks without") }
    for number in 0..<grid.count {
      let coordinates = grid.coordinates(of: number)
      let (offset, overflow) = try grid.number(inArray: coordinates)
        .multipliedReportingOverflow(by: grid.chunkByteCount)
      guard !overflow else { throw .malformed("has a chunk beyond any file") }
      let start = try Checked.sum(address, offset, of: "the address of a chunk")
      try visit(chunk(coordinates, ArrayElement(address: start, filtered: nil)))
    }
  }

  private mutating func checkOverlaps() throws(WeighbridgeError) {
    chunks.sort { $0.range.lowerBound < $1.range.lowerBound }
    var end = 0
    for chunk in chunks {
      guard chunk.range.lowerBound >= end else {
        throw .malformed("has chunks that overlap in the file").at(.byte(chunk.range.lowerBound))
      }
      end = max(end, chunk.range.upperBound)
    }
    var numbers = chunks.map(\.number)
    numbers.sort()
    for (number, next) in zip(numbers, numbers.dropFirst()) where number == next {
      throw .malformed("has two chunks at the position \(grid.coordinates(of: number))")
    }
  }
}
