import GraphIR

/// Products of matrices with transposed ones in `Double`: the element in row r and column c of a
/// product is the sum over k of rows[r][k] · columns[c][k], added in the order of k.
struct MatrixProduct: Sendable {
  /// The number of products.
  let count: Int
  /// The sizes of a product.
  let rowCount: Int, columnCount: Int
  /// The number of elements of a row and a column.
  let length: Int

  /// The elements of all products, row by row; several threads compute a block each.
  ///
  /// - Parameters:
  ///   - rows: Returns a range of the rows of a product.
  ///   - columns: Returns a range of its columns.
  func elements(
    workers: Workers,
    rows: @Sendable (_ product: Int, _ range: Range<Int>) -> Vectors,
    columns: @Sendable (_ product: Int, _ range: Range<Int>) -> Vectors
  ) -> [Double] {
    let (rowBlocks, columnBlocks) = (blocks(of: rowCount), blocks(of: columnCount))
    let blockCount = rowBlocks.count * columnBlocks.count
    let blocks = workers.map(count * blockCount) { index in
      let block = index % blockCount
      return rows(index / blockCount, rowBlocks[block / columnBlocks.count])
        .products(columns(index / blockCount, columnBlocks[block % columnBlocks.count]))
    }
    if columnBlocks.count == 1 { return blocks.flatMap { $0 } }
    var elements: [Double] = []
    elements.reserveCapacity(count * rowCount * columnCount)
    for start in stride(from: 0, to: blocks.count, by: max(1, columnBlocks.count)) {
      let rowRange = rowBlocks[start / columnBlocks.count % rowBlocks.count]
      for row in rowRange.indices {
        for (number, range) in columnBlocks.enumerated() {
          let first = (row - rowRange.lowerBound) * range.count
          elements += blocks[start + number][first..<first + range.count]
        }
      }
    }
    return elements
  }

  /// The products of the matrices with given elements, row by row.
  func elements(_ rows: [Double], _ columns: [Double], workers: Workers) -> [Double] {
    elements(workers: workers) { product, range in
      let start = (product * rowCount + range.lowerBound) * length
      return Vectors(count: range.count, length: length) { rows[start + $0 * length + $1] }
    } columns: { product, range in
      let start = (product * columnCount + range.lowerBound) * length
      return Vectors(count: range.count, length: length) { columns[start + $0 * length + $1] }
    }
  }

  /// The same of integers, modulo 2^64.
  func wrapped(_ rows: [Int64], _ columns: [Int64], workers: Workers) -> [Int64] {
    workers.map(count * rowCount) { row in
      (0..<columnCount).map { column in
        let start = (row / rowCount * columnCount + column) * length
        return (0..<length).reduce(0) { $0 &+ rows[row * length + $1] &* columns[start + $1] }
      }
    }
    .flatMap { $0 }
  }

  /// Ranges of as many vectors as fit in a processor's cache.
  private func blocks(of count: Int) -> [Range<Int>] {
    let size = min(128, max(16, (1 << 19) / max(1, length) / 4 * 4))
    return stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
  }
}

/// Equally long lists of numbers, of which four are stored side by side: `[count / 4, length, 4]`.
struct Vectors: Sendable {
  private let count: Int
  private let length: Int
  private var elements: [SIMD4<Double>] = []

  /// - Parameters:
  ///   - first: An element that precedes the others.
  ///   - element: The element of a vector with an index.
  @inline(__always)
  init(
    count: Int, length: Int, _ first: ((_ vector: Int) -> Double)? = nil,
    element: (_ vector: Int, _ index: Int) -> Double
  ) {
    self.count = count
    self.length = length + (first == nil ? 0 : 1)
    elements.reserveCapacity((count + 3) / 4 * self.length)
    for vector in stride(from: 0, to: count, by: 4) {
      // Fewer than four at the end are followed by copies of the last one.
      let second = min(vector + 1, count - 1)
      let (third, fourth) = (min(vector + 2, count - 1), min(vector + 3, count - 1))
      if let first {
        elements.append(SIMD4(first(vector), first(second), first(third), first(fourth)))
      }
      for index in 0..<length {
        elements.append(
          SIMD4(
            element(vector, index), element(second, index), element(third, index),
            element(fourth, index)))
      }
    }
  }

  /// The elements of a tensor for each index of its first axis.
  ///
  /// - Parameter first: An element of each that precedes the others.
  init(rowsOf tensor: Tensor, after first: ArraySlice<Double>? = nil) {
    let length = tensor.shape.dropFirst().reduce(1, *)
    let elements = tensor.doubles
    self.init(
      count: tensor.shape[0], length: length,
      first.map { first in { first[first.startIndex + $0] } }
    ) { elements[$0 * length + $1] }
  }

  /// The sums of the products of these vectors' elements with those of others, `[count, count of the
  /// others]`, each added in the order of the elements.
  func products(_ columns: Vectors) -> [Double] {
    let (height, width) = ((count + 3) / 4, (columns.count + 3) / 4)
    var tiles = [Tile](repeating: Tile(), count: height * width)
    // These parts of the vectors stay in the cache until all are multiplied with each other.
    for start in stride(from: 0, to: length, by: 256) {
      let part = start..<min(start + 256, length)
      for row in 0..<height {
        for column in 0..<width {
          tiles[row * width + column].add(
            elements, range(row, part), columns.elements, columns.range(column, part))
        }
      }
    }
    var sums: [Double] = []
    sums.reserveCapacity(count * columns.count)
    for row in 0..<count {
      for column in 0..<width {
        let four = tiles[row / 4 * width + column][row % 4]
        for lane in 0..<min(4, columns.count - 4 * column) { sums.append(four[lane]) }
      }
    }
    return sums
  }

  /// Where a part of four vectors is.
  private func range(_ number: Int, _ part: Range<Int>) -> Range<Int> {
    number * length + part.lowerBound..<number * length + part.upperBound
  }

  /// The products of four rows and four columns.
  private struct Tile {
    private var (first, second, third, fourth) = (
      SIMD4<Double>(), SIMD4<Double>(), SIMD4<Double>(), SIMD4<Double>()
    )

    mutating func add(
      _ rows: [SIMD4<Double>], _ rowRange: Range<Int>, _ columns: [SIMD4<Double>],
      _ columnRange: Range<Int>
    ) {
      let (rows, columns) = (
        rows.span.extracting(rowRange), columns.span.extracting(columnRange)
      )
      precondition(rows.count == columns.count)
      var (first, second, third, fourth) = (first, second, third, fourth)
      for index in rows.indices {
        let (row, column) = (rows[index], columns[index])
        first += column * row[0]
        second += column * row[1]
        third += column * row[2]
        fourth += column * row[3]
      }
      (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
    }

    subscript(row: Int) -> SIMD4<Double> {
      switch row {
      case 0: first
      case 1: second
      case 2: third
      default: fourth
      }
    }
  }
}
