import CKernels
import GraphIR

extension Matrix {
  /// Replaces the lower triangle of a symmetric matrix by its Cholesky factor L, with
  /// L * transposed(L) = self; the upper triangle is undefined. The result does not depend on the
  /// number of threads.
  ///
  /// - Returns: Whether the matrix is positive definite; otherwise its elements are undefined.
  mutating func factor(workers: Workers) -> Bool {
    precondition(rows == columns)
    let count = rows
    return unsafe elements.withUnsafeMutableBufferPointer { buffer in
      guard let address = buffer.baseAddress else { return true }
      let factoring = unsafe Factoring(elements: address, count: count)
      for start in stride(from: 0, to: count, by: Factoring.blockSize) {
        guard factoring.factor(start, workers) else { return false }
      }
      return true
    }
  }
}

/// A blocked Cholesky factorization.
///
/// Sendable since threads write to disjoint rows or tiles, inside of the matrix.
@safe private struct Factoring: @unchecked Sendable {
  let elements: UnsafeMutablePointer<Float>
  let count: Int

  static let blockSize = 128
  private static let rowCount = 64

  /// Factors the columns of one block, and updates the columns after it.
  func factor(_ start: Int, _ workers: Workers) -> Bool {
    let end = min(start + Self.blockSize, count)
    let block = unsafe elements + start * count + start
    guard unsafe kernels_factor(Int32(end - start), block, count) else { return false }
    let strips = Array(stride(from: end, to: count, by: Self.rowCount))
    _ = workers.map(strips.count) { strip in
      solve(strips[strip]..<min(strips[strip] + Self.rowCount, count), start..<end)
    }
    let panel = unsafe UnsafePointer(elements + start)
    let product = unsafe TileProduct(
      depth: end - start, factor: -1, first: panel, firstStrides: (count, 1), second: panel,
      secondStrides: (1, count), target: elements, targetStride: count)
    let tiles = Tile.covering(rows: end..<count, columns: end..<count, isLower: true)
    _ = workers.map(tiles.count) { product.add(tiles[$0]) }
    return true
  }

  private func solve(_ rows: Range<Int>, _ columns: Range<Int>) {
    unsafe kernels_solve(
      Int32(rows.count), Int32(columns.count),
      elements + columns.lowerBound * count + columns.lowerBound, count,
      elements + rows.lowerBound * count + columns.lowerBound, count)
  }
}
