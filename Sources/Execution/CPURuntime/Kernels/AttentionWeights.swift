import LayerCatalog

/// Turns the scores of queries into the shares of the values that they see, in place.
struct AttentionWeights: Sendable {
  /// Which values a query sees.
  let masking: AttentionMasking
  /// What the scores are multiplied by first.
  let scale: Float
  /// The number of queries, whose places repeat from row to row.
  let queryCount: Int
  /// The number of values: the length of a row.
  let keyCount: Int

  /// Computes one row.
  ///
  /// - Parameter mask: What the mask says of each value, 0 for not seen; `nil` without a mask.
  func apply(
    to row: UnsafeMutableBufferPointer<Float>, number: Int, mask: UnsafeBufferPointer<UInt8>?
  ) {
    let places = places(number % queryCount)
    func isSeen(_ place: Int) -> Bool {
      places.contains(place) && (mask.map { $0[place] != 0 } ?? true)
    }
    row.apply { $0 * scale }
    if mask == nil, places.count == row.count { return softmax(row) }
    guard places.contains(where: isSeen) else { return applyBlind(row) }
    for place in row.indices where !isSeen(place) { row[place] = -.infinity }
    softmax(row)
    // Where all that is seen is infinite, NaN came of the rest too.
    for place in row.indices where !isSeen(place) { row[place] = 0 }
  }

  /// The values that a query may see by its place.
  private func places(_ place: Int) -> Range<Int> {
    var (first, end) = (0, keyCount)
    if let window = masking.window {
      first = max(0, place - window + 1)
      end = min(end, place + window)
    }
    if masking.isCausal { end = min(end, place + 1) }
    return first..<max(first, end)
  }

  private func applyBlind(_ row: UnsafeMutableBufferPointer<Float>) {
    switch masking.fullyMaskedRows {
    case .zero: row.update(repeating: 0)
    case .mean: row.update(repeating: 1 / Float(row.count))
    case .unmasked: softmax(row)
    }
  }

  private func softmax(_ row: UnsafeMutableBufferPointer<Float>) {
    let largest = row.largest
    row.apply { ($0 - largest).exponential }
    let factor = 1 / row.sum
    row.apply { $0 * factor }
  }
}
