import GraphIR

/// The correlations of a weight's inputs, in the form that rounding with error feedback needs.
struct RoundingBasis: Sendable {
  /// Columns that are rounded together, for the outputs of one group.
  struct Block: Sendable {
    let group: Int
    /// The column at each position; the last position is rounded first.
    let order: [Int]
    /// The Cholesky factor of the moments in this order; `nil` if columns are rounded
    /// independently.
    let factor: Matrix?
  }

  let blocks: [Block]

  /// The damping added to the diagonal, relative to its mean. It limits the feedback where the
  /// inputs are poorly known.
  static let damping: Float = 0.1

  /// Factors the moments of a weight's inputs.
  ///
  /// - Parameter moments: `nil` if nothing is known about the inputs.
  init(_ weight: CompactableWeight, _ moments: consuming InputMoments?, workers: Workers) {
    guard let moments, !weight.sources.isEmpty else {
      blocks = (0..<weight.groups).map {
        Block(group: $0, order: Array(0..<weight.columns), factor: nil)
      }
      return
    }
    let ranges = moments.blocks
    let isSmall = moments.matrices.count > 4
    let matrices = moments.matrices
    let inner = isSmall ? Workers(count: 1) : workers
    blocks = (isSmall ? workers : Workers(count: 1)).map(matrices.count) { number in
      Self.block(
        matrices[number], group: number / ranges.count, ranges[number % ranges.count], inner)
    }
  }

  private static func block(
    _ moments: Matrix, group: Int, _ range: Range<Int>, _ workers: Workers
  ) -> Block {
    let diagonal = moments.diagonal
    let mean = Float(diagonal.reduce(0) { $0 + Double($1) } / Double(max(1, diagonal.count)))
    // Ascending by importance: the last, most important columns are rounded first.
    let order = diagonal.indices.sorted {
      (diagonal[$0], $0) < (diagonal[$1], $1)
    }
    let unknown = Block(group: group, order: Array(range), factor: nil)
    guard mean > 0, mean.isFinite else { return unknown }
    var matrix = Matrix(rows: order.count, columns: order.count)
    for (row, source) in order.enumerated() {
      for column in 0...row {
        let other = order[column]
        matrix[row, column] =
          moments[max(source, other), min(source, other)]
      }
      matrix[row, row] += damping * mean
    }
    guard matrix.factor(workers: workers) else { return unknown }
    return Block(group: group, order: order.map { $0 + range.lowerBound }, factor: matrix)
  }
}
