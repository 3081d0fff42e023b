import GraphIR

/// Queries, keys and values, `[batch..., heads, positions..., features]`, for the reference kernels
/// of attentions.
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
  private let valueFeatures: Int
  private let headCount: Int
  /// The number of query heads that share one key head.
  private let queryHeadsPerKeyHead: Int
  private let scale: Double

  /// - Parameter axisCount: The number of axes of the positions.
  init(query: Tensor, key: Tensor, value: Tensor, axisCount: Int, scale: Double) {
    let headAxis = query.shape.count - 2 - axisCount
    queryCount = query.shape[(headAxis + 1)...].dropLast().reduce(1, *)
    keyCount = key.shape[(headAxis + 1)...].dropLast().reduce(1, *)
    rowCount = query.shape.dropLast().reduce(1, *)
    (self.query, self.key, self.value) = (query.doubles, key.doubles, value.doubles)
    features = query.shape[headAxis + axisCount + 1]
    valueFeatures = value.shape[headAxis + axisCount + 1]
    headCount = query.shape[headAxis]
    queryHeadsPerKeyHead = max(1, headCount / max(1, key.shape[headAxis]))
    self.scale = scale
  }

  /// The index of the first key that a query is compared with.
  private func firstKey(_ row: Int) -> Int {
    let (batch, head) = (row / queryCount / headCount, row / queryCount % headCount)
    let keyHeadCount = headCount / queryHeadsPerKeyHead
    return (batch * keyHeadCount + head / queryHeadsPerKeyHead) * keyCount
  }

  /// Returns the score of each key for a query: the scaled sum of products.
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

  /// Returns the score of each key for a query by a function of both.
  func scores(
    _ row: Int, _ score: (ArraySlice<Double>, ArraySlice<Double>) -> Double
  ) -> [Double] {
    let query = query[row * features..<(row + 1) * features]
    let first = firstKey(row)
    return (first..<first + keyCount).map {
      score(query, key[$0 * features..<($0 + 1) * features])
    }
  }

  /// Returns the mean of the values for a query, weighted by its attention weights.
  func mean(_ row: Int, _ attentionWeights: [Double]) -> [Double] {
    var sums = [Double](repeating: 0, count: valueFeatures)
    var start = firstKey(row) * valueFeatures
    for weight in attentionWeights {
      for feature in 0..<valueFeatures { sums[feature] += weight * value[start + feature] }
      start += valueFeatures
    }
    return sums
  }
}
