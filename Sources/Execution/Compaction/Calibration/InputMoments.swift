import GraphIR

/// The second moments of the inputs of a weight, in blocks along the diagonal. They determine how
/// an error of the weight affects its product with the inputs.
struct InputMoments: Sendable {
  /// The columns of each block.
  let blocks: [Range<Int>]
  /// For each group and each of its blocks, the sums of products; only the lower triangle is used.
  private(set) var matrices: [Matrix]
  /// Vectors that have not been accumulated yet, for each group.
  private var pending: [[Float]]
  private let columns: Int

  /// No inputs so far.
  ///
  /// - Parameter limit: The maximum number of columns of a block.
  init(_ weight: CompactableWeight, limit: Int) {
    columns = weight.columns
    let count = (columns + limit - 1) / limit
    let blocks = (0..<count).map { block in
      weight.columns * block / count..<weight.columns * (block + 1) / count
    }
    self.blocks = blocks
    matrices = (0..<weight.groups).flatMap { _ in
      blocks.map { Matrix(rows: $0.count, columns: $0.count) }
    }
    pending = [[Float]](repeating: [], count: weight.groups)
  }

  /// The number of elements of the matrices of a weight.
  static func size(_ weight: CompactableWeight, limit: Int) -> Int {
    let count = (weight.columns + limit - 1) / limit
    let width = (weight.columns + count - 1) / count
    return weight.groups * count * width * width
  }

  /// Adds concatenated vectors for each group.
  mutating func add(_ vectors: [[Float]], workers: Workers) {
    guard vectors.count == pending.count else { return }
    for (group, vectors) in vectors.enumerated() { pending[group] += vectors }
    // Batches are large enough that accumulating is not bound by reading the sums.
    if let first = pending.first, first.count >= 512 * columns { finish(workers: workers) }
  }

  /// Accumulates the pending vectors.
  mutating func finish(workers: Workers) {
    for group in pending.indices where !pending[group].isEmpty {
      let vectors = Matrix(rows: pending[group].count / columns, columns: columns, pending[group])
      pending[group] = []
      for (number, block) in blocks.enumerated() {
        let part = blocks.count == 1 ? vectors : vectors.extracting(columns: block)
        matrices[group * blocks.count + number].add(momentsOf: part, workers: workers)
      }
    }
  }
}

extension Matrix {
  /// Some columns.
  fileprivate func extracting(columns range: Range<Int>) -> Matrix {
    Matrix(
      rows: rows, columns: range.count,
      (0..<rows).flatMap {
        elements[$0 * columns + range.lowerBound..<$0 * columns + range.upperBound]
      })
  }
}
