import GraphIR

/// How errors of a weight's columns work together, in the form that rounding with feedback needs.
struct RoundingBasis: Sendable {
  /// Some columns that are rounded together, for the outputs of one group.
  struct Block: Sendable {
    let group: Int
    /// The column in each place; the last place is rounded first.
    let order: [Int]
    /// Cholesky's factor of the sums of products in this order; `nil` where each column is by itself.
    let factor: Matrix?
  }

  let blocks: [Block]

  /// The part of the mean square of the inputs that is added to each: the less is known of the inputs,
  /// the less the feedback may trust in it.
  static let damping: Float = 0.1

  /// Factors the sums of a weight's inputs.
  ///
  /// - Parameter moments: The sums; `nil` when nothing is known of the inputs.
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
    // What matters least comes last.
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
