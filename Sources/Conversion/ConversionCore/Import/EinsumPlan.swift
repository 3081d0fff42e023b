import GraphIR

/// How an Einsum becomes a matrix product.
struct EinsumPlan {
  /// The order of each factor's axes: first the batch axes, which both factors and the output have,
  /// then rows and sums, or sums and columns.
  let orders: [[Int]]
  /// The number of axes in each group of each factor: batch, rows and sums; or batch, sums and
  /// columns.
  let counts: [[Int]]
  /// The factor's axis from which each axis of the product comes, after rows and columns are split
  /// again.
  let result: [(term: Int, axis: Int)]
  /// The order of the product's axes in the output.
  let finalOrder: [Int]

  /// Whether rows, columns and sums have more unknown sizes than a `Reshape` can infer.
  func hasSeveralUnknownSizes(_ types: [TensorType]) -> Bool {
    let isUnknown = types.indices.map { term in
      // Rows and columns, and sums, of each factor.
      orders[term].map { types[term].shape[$0].value == nil }
    }
    let batch = counts[0][0]
    let rows = isUnknown[0][batch..<batch + counts[0][1]].count { $0 }
    let columns = isUnknown[1].suffix(counts[1][2]).count { $0 }
    let isSplit = counts[0][1] != 1 || counts[1][2] != 1
    let mergesUnknown = { (count: Int, unknownCount: Int) in count > 1 && unknownCount > 0 }
    let sums = mergesUnknown(counts[0][2], isUnknown[0].suffix(counts[0][2]).count { $0 })
    return isSplit && rows + columns > 1
      || sums && (mergesUnknown(counts[0][1], rows) || mergesUnknown(counts[1][2], columns))
  }

  /// - Returns: `nil` if a letter occurs twice in one term, or only in one factor and not in the
  ///   output.
  init?(_ first: [Character], _ second: [Character], _ output: [Character]) {
    guard [first, second, output].allSatisfy({ Set($0).count == $0.count }),
      output.allSatisfy({ first.contains($0) || second.contains($0) })
    else { return nil }
    let batch = first.filter { second.contains($0) && output.contains($0) }
    let sums = first.filter { second.contains($0) && !output.contains($0) }
    let rows = first.filter { !second.contains($0) }
    let columns = second.filter { !first.contains($0) }
    guard (rows + columns).allSatisfy(output.contains) else { return nil }
    orders = [
      (batch + rows + sums).compactMap { first.firstIndex(of: $0) },
      (batch + sums + columns).compactMap { second.firstIndex(of: $0) },
    ]
    counts = [
      [batch.count, rows.count, sums.count], [batch.count, sums.count, columns.count],
    ]
    let letters = batch + rows + columns
    result = letters.compactMap { letter in
      if let axis = first.firstIndex(of: letter) { return (0, axis) }
      return second.firstIndex(of: letter).map { (1, $0) }
    }
    finalOrder = output.compactMap { letters.firstIndex(of: $0) }
  }
}
