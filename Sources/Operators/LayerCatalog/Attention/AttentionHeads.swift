import GraphIR

/// The elements of queries, keys and values, `[batch..., heads, positions..., features]`.
struct AttentionHeads {
  /// The number of queries of each head.
  let queryCount: Int
  /// The number of keys and values of each head.
  let keyCount: Int
  /// The total number of queries.
  let rowCount: Int
  private let query: [Double]
  private let key: [Double]
  private let value: [Double]
  private let features: Int
  private let width: Int
  private let headCount: Int
  private let sharing: Int
  private let scale: Double

  /// - Parameter axes: The number of axes of the positions.
  init(query: Tensor, key: Tensor, value: Tensor, axes: Int, scale: Double) {
    let head = query.shape.count - 2 - axes
    queryCount = query.shape[(head + 1)...].dropLast().reduce(1, *)
    keyCount = key.shape[(head + 1)...].dropLast().reduce(1, *)
    rowCount = query.shape.dropLast().reduce(1, *)
    (self.query, self.key, self.value) = (query.doubles, key.doubles, value.doubles)
    (features, width) = (query.shape[head + axes + 1], value.shape[head + axes + 1])
    headCount = query.shape[head]
    // The number of query heads that share one key head.
    sharing = max(1, query.shape[head] / max(1, key.shape[head]))
    self.scale = scale
  }

  /// The index of the first key that a query is compared with.
  private func firstKey(_ row: Int) -> Int {
    let (batch, head) = (row / queryCount / headCount, row / queryCount % headCount)
    return (batch * (headCount / sharing) + head / sharing) * keyCount
  }

  /// Returns the score of each key for a query.
  func scores(_ row: Int) -> [Double] {
    let (query, key) = (query.span, key.span)
    let first = firstKey(row)
    var scores: [Double] = []
    scores.reserveCapacity(keyCount)
    for index in first..<first + keyCount {
      var sum = 0.0
      for feature in 0..<features {
        sum += query[row * features + feature] * key[index * features + feature]
      }
      scores.append(sum * scale)
    }
    return scores
  }

  /// Returns the mean of the values for a query, weighted by the shares.
  func mean(_ row: Int, _ shares: [Double]) -> [Double] {
    var sums = [Double](repeating: 0, count: width)
    var start = firstKey(row) * width
    for share in shares {
      for feature in 0..<width { sums[feature] += share * value[start + feature] }
      start += width
    }
    return sums
  }
}
