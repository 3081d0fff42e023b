import GraphIR

/// Products of matrices with transposed ones in `Double`: the element in row r and column c of a
/// product is the sum over k of rows[r][k] · columns[c][k], added in the order of k.
struct MatrixProduct: Sendable {
  /// Returns a range of the rows or of the columns of a product.
  typealias Source = @Sendable (_ product: Int, _ range: Range<Int>) -> Vectors

  /// The number of products.
  let count: Int
  /// The sizes of a product.
  let rowCount: Int, columnCount: Int
  /// The number of elements of a row and a column.
  let length: Int

  /// The elements of all products, row by row; several threads compute a block each.
  func elements(workers: Workers, rows: Source, columns: Source) -> [Double] {
    let (rowBlocks, columnBlocks) = (blocks(of: rowCount), blocks(of: columnCount))
    // Each vector is prepared once: those of the shorter side for all threads, before the others.
    let isWide = columnCount > rowCount
    let (shared, own) = isWide ? (rows, columns) : (columns, rows)
    let (sharedBlocks, ownBlocks) = isWide ? (rowBlocks, columnBlocks) : (columnBlocks, rowBlocks)
    let prepared = workers.map(count * sharedBlocks.count) { index in
      shared(index / sharedBlocks.count, sharedBlocks[index % sharedBlocks.count])
    }
    let parts = workers.map(count * ownBlocks.count) { index in
      let product = index / ownBlocks.count
      let vectors = own(product, ownBlocks[index % ownBlocks.count])
      return sharedBlocks.indices.map { block in
        let other = prepared[product * sharedBlocks.count + block]
        return isWide ? other.products(vectors) : vectors.products(other)
      }
    }
    var elements: [Double] = []
    elements.reserveCapacity(count * rowCount * columnCount)
    for start in stride(from: 0, to: parts.count, by: max(1, ownBlocks.count)) {
      for (rowBlock, rowRange) in rowBlocks.enumerated() {
        let tiles = columnBlocks.indices.map { columnBlock in
          isWide ? parts[start + columnBlock][rowBlock] : parts[start + rowBlock][columnBlock]
        }
        append(tiles, rowCount: rowRange.count, columnBlocks, to: &elements)
      }
    }
    return elements
  }

  /// Appends rows whose elements are in several tiles, side by side.
  private func append(
    _ tiles: [[Double]], rowCount: Int, _ columns: [Range<Int>], to elements: inout [Double]
  ) {
    if tiles.count == 1 { return elements += tiles[0] }
    for row in 0..<rowCount {
      for (tile, range) in zip(tiles, columns) {
        elements += tile[row * range.count..<(row + 1) * range.count]
      }
    }
  }

  /// The products of the matrices with given elements, row by row.
  func elements(_ rows: [Double], _ columns: [Double], workers: Workers) -> [Double] {
    let offsets = Array(0..<length)
    return elements(workers: workers) { product, range in
      let starts = range.map { (product * rowCount + $0) * length }
      return Vectors(rows, starts: starts, offsets: offsets)
    } columns: { product, range in
      let starts = range.map { (product * columnCount + $0) * length }
      return Vectors(columns, starts: starts, offsets: offsets)
    }
  }

  /// The same of integers, modulo 2^64.
  func wrapped(_ rows: [Int64], _ columns: [Int64], workers: Workers) -> [Int64] {
    let products = workers.map(count * rowCount) { (row: Int) -> [Int64] in
      (0..<columnCount).map { (column: Int) -> Int64 in
        let start = (row / rowCount * columnCount + column) * length
        var sum: Int64 = 0
        for index in 0..<length { sum &+= rows[row * length + index] &* columns[start + index] }
        return sum
      }
    }
    return products.flatMap { $0 }
  }

  /// Ranges of as many vectors as fit in a processor's cache.
  private func blocks(of count: Int) -> [Range<Int>] {
    let size = min(128, max(16, (1 << 19) / max(1, length) / 8 * 8))
    return stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
  }
}

/// Equally long lists of numbers, of which eight are stored side by side: `[count / 8, length, 8]`.
struct Vectors: Sendable {
  private let count: Int
  private let length: Int
  private var elements: [SIMD8<Double>] = []

  /// - Parameters:
  ///   - numbers: The elements: element i of vector v is at starts[v] + offsets[i].
  ///   - first: An element of each vector that precedes the others.
  init(
    _ numbers: [Double], starts: [Int], offsets: [Int], after first: ArraySlice<Double>? = nil
  ) {
    count = starts.count
    length = offsets.count + (first == nil ? 0 : 1)
    elements.reserveCapacity((count + 7) / 8 * length)
    let numbers = numbers.span
    for group in stride(from: 0, to: count, by: 8) {
      // Fewer than eight at the end are followed by copies of the last one.
      let vectors = (0..<8).map { min(group + $0, count - 1) }
      if let first {
        var eight = SIMD8<Double>()
        for lane in 0..<8 { eight[lane] = first[first.startIndex + vectors[lane]] }
        elements.append(eight)
      }
      let (v0, v1, v2, v3) = (
        starts[vectors[0]], starts[vectors[1]], starts[vectors[2]], starts[vectors[3]]
      )
      let (v4, v5, v6, v7) = (
        starts[vectors[4]], starts[vectors[5]], starts[vectors[6]], starts[vectors[7]]
      )
      for offset in offsets {
        elements.append(
          SIMD8(
            numbers[v0 + offset], numbers[v1 + offset], numbers[v2 + offset],
            numbers[v3 + offset], numbers[v4 + offset], numbers[v5 + offset],
            numbers[v6 + offset], numbers[v7 + offset]))
      }
    }
  }

  /// The elements of a tensor for each index of its first axis.
  ///
  /// - Parameter first: An element of each that precedes the others.
  init(rowsOf tensor: Tensor, after first: ArraySlice<Double>? = nil) {
    let length = tensor.shape.dropFirst().reduce(1, *)
    self.init(
      tensor.doubles, starts: (0..<tensor.shape[0]).map { $0 * length },
      offsets: Array(0..<length), after: first)
  }

  /// The sums of the products of these vectors' elements with those of others, `[count, count of the
  /// others]`, each added in the order of the elements.
  func products(_ columns: Vectors) -> [Double] {
    let (height, width) = ((count + 7) / 8 * 8, (columns.count + 7) / 8 * 8)
    var sums = [Double](repeating: 0, count: height * width)
    if length > 0 {
      ProductSums.add(elements.span, columns.elements.span, length: length, to: &sums)
    }
    if width == columns.count {
      sums.removeLast((height - count) * width)
      return sums
    }
    var result: [Double] = []
    result.reserveCapacity(count * columns.count)
    for row in 0..<count { result += sums[row * width..<row * width + columns.count] }
    return result
  }
}
