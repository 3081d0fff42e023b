import CKernels
import GraphIR

/// A row-major float32 matrix.
///
/// The C kernels get the addresses of whole matrices with their sizes and stay within them; threads
/// write to disjoint parts.
struct Matrix: Sendable {
  let rows: Int
  let columns: Int
  /// `[rows, columns]`
  var elements: [Float]

  /// Zeros.
  init(rows: Int, columns: Int) {
    self.init(rows: rows, columns: columns, [Float](repeating: 0, count: rows * columns))
  }

  /// - Parameter elements: `[rows, columns]`
  init(rows: Int, columns: Int, _ elements: [Float]) {
    precondition(elements.count == rows * columns)
    (self.rows, self.columns, self.elements) = (rows, columns, elements)
  }

  subscript(row: Int, column: Int) -> Float {
    get { elements[row * columns + column] }
    set { elements[row * columns + column] = newValue }
  }

  /// The elements on the diagonal.
  var diagonal: [Float] { (0..<min(rows, columns)).map { self[$0, $0] } }
}

/// A part of a product, computed by one thread.
struct Tile: Sendable {
  let rows: Range<Int>
  let columns: Range<Int>

  /// The tiles that cover a matrix; if `isLower`, only those that overlap the lower triangle.
  static func covering(
    rows: Range<Int>, columns: Range<Int>, isLower: Bool = false
  ) -> [Tile] {
    stride(from: rows.lowerBound, to: rows.upperBound, by: height).flatMap { top in
      let bottom = min(top + height, rows.upperBound)
      let end = isLower ? min(columns.upperBound, bottom) : columns.upperBound
      return stride(from: columns.lowerBound, to: max(columns.lowerBound, end), by: width).map {
        Tile(rows: top..<bottom, columns: $0..<min($0 + width, columns.upperBound))
      }
    }
  }

  private static let height = 240
  private static let width = 512
}

extension Matrix {
  /// Adds the product of matrices: self += first * second. The result does not depend on the number
  /// of threads.
  mutating func add(product first: Matrix, _ second: Matrix, workers: Workers) {
    precondition(first.columns == second.rows && rows == first.rows && columns == second.columns)
    let tiles = Tile.covering(rows: 0..<rows, columns: 0..<columns)
    multiply(
      tiles, depth: first.columns, factor: 1, first: (first, row: first.columns, column: 1),
      second: (second, row: second.columns, column: 1), workers: workers)
  }

  /// Adds transposed(vectors) * vectors to the lower triangle; the upper triangle is undefined.
  ///
  /// - Parameter vectors: A vector in each row.
  mutating func add(momentsOf vectors: Matrix, workers: Workers) {
    precondition(rows == columns && rows == vectors.columns)
    let tiles = Tile.covering(rows: 0..<rows, columns: 0..<columns, isLower: true)
    multiply(
      tiles, depth: vectors.rows, factor: 1, first: (vectors, row: 1, column: vectors.columns),
      second: (vectors, row: vectors.columns, column: 1), workers: workers)
  }

  private typealias Operand = (matrix: Matrix, row: Int, column: Int)

  private mutating func multiply(
    _ tiles: [Tile], depth: Int, factor: Float, first: Operand, second: Operand, workers: Workers
  ) {
    let width = columns
    unsafe first.matrix.elements.withUnsafeBufferPointer { lhs in
      unsafe second.matrix.elements.withUnsafeBufferPointer { rhs in
        unsafe elements.withUnsafeMutableBufferPointer { target in
          guard let left = lhs.baseAddress, let right = rhs.baseAddress,
            let target = target.baseAddress
          else { return }
          let product = unsafe TileProduct(
            depth: depth, factor: factor, first: left, firstStrides: (first.row, first.column),
            second: right, secondStrides: (second.row, second.column), target: target,
            targetStride: width)
          _ = workers.map(tiles.count) { product.add(tiles[$0]) }
        }
      }
    }
  }
}

/// A matrix product computed in tiles by several threads.
///
/// Sendable since the operands are only read, and each thread writes to a tile of its own.
@safe struct TileProduct: @unchecked Sendable {
  let depth: Int
  let factor: Float
  let first: UnsafePointer<Float>
  let firstStrides: (row: Int, column: Int)
  let second: UnsafePointer<Float>
  let secondStrides: (row: Int, column: Int)
  let target: UnsafeMutablePointer<Float>
  let targetStride: Int

  /// Adds the product in one tile.
  func add(_ tile: Tile) {
    let isDone = unsafe kernels_multiply(
      Int32(tile.rows.count), Int32(tile.columns.count), Int32(depth), factor,
      kernels_matrix(
        elements: first + tile.rows.lowerBound * firstStrides.row, row_stride: firstStrides.row,
        column_stride: firstStrides.column),
      kernels_matrix(
        elements: second + tile.columns.lowerBound * secondStrides.column,
        row_stride: secondStrides.row, column_stride: secondStrides.column),
      target + tile.rows.lowerBound * targetStride + tile.columns.lowerBound, targetStride)
    precondition(isDone, "no memory for a tile")
  }
}
