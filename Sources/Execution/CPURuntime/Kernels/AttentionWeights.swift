import LayerCatalog

/// Converts scores to attention weights with a masked softmax, in place.
struct AttentionWeights: Sendable {
  /// The keys that each query may attend to.
  let masking: AttentionMasking
  /// The factor applied to the scores.
  let scale: Float
  /// The number of queries, whose positions repeat from row to row.
  let queryCount: Int
  /// The number of keys: the length of a row.
  let keyCount: Int

  /// Computes one row.
  ///
  /// - Parameter mask: An element for each key, 0 for masked; `nil` without a mask.
  func apply(
    to row: UnsafeMutableBufferPointer<Float>, number: Int, mask: UnsafeBufferPointer<UInt8>?
  ) {
    let visible = visibleKeys(query: number % queryCount)
    func isVisible(_ key: Int) -> Bool {
      unsafe visible.contains(key) && (mask.map { unsafe $0[key] != 0 } ?? true)
    }
    unsafe row.apply { $0 * scale }
    if unsafe mask == nil, visible.count == row.count { return unsafe softmax(row) }
    guard visible.contains(where: isVisible) else { return unsafe applyFullyMasked(row) }
    for key in row.indices where !isVisible(key) { unsafe row[key] = -.infinity }
    unsafe softmax(row)
    // If all visible scores are infinite, the softmax made NaN of the masked ones too.
    for key in row.indices where !isVisible(key) { unsafe row[key] = 0 }
  }

  /// The keys that a query may attend to by its position.
  private func visibleKeys(query: Int) -> Range<Int> {
    var (start, end) = (0, keyCount)
    if let window = masking.window {
      start = max(0, query - window + 1)
      end = min(end, query + window)
    }
    if masking.isCausal { end = min(end, query + 1) }
    return start..<max(start, end)
  }

  private func applyFullyMasked(_ row: UnsafeMutableBufferPointer<Float>) {
    switch masking.fullyMaskedRows {
    case .zero: unsafe row.update(repeating: 0)
    case .mean: unsafe row.update(repeating: 1 / Float(row.count))
    case .unmasked: unsafe softmax(row)
    }
  }

  private func softmax(_ row: UnsafeMutableBufferPointer<Float>) {
    let largest = unsafe row.largest
    unsafe row.apply { ($0 - largest).exponential }
    let factor = unsafe 1 / row.sum
    unsafe row.apply { $0 * factor }
  }
}
