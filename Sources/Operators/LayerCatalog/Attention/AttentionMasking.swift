import Bytes
import GraphIR

/// Which values a query sees, by their places.
package struct AttentionMasking: Hashable, Sendable {
  /// What a query gets that sees no value at all.
  package enum FullyMaskedRows: String, Hashable, Sendable, CaseIterable {
    /// The mean of all values.
    case mean
    /// Zeros.
    case zero
    /// What it would get if it saw all values.
    case unmasked
  }

  /// Whether a query sees no value whose place is behind its own.
  package let isCausal: Bool
  /// How many places apart, at most 1 less than this, a value may lie; `nil` for any.
  package let window: Int?
  /// Whether a mask says which values are seen.
  package let hasMask: Bool
  /// What a query gets that sees no value at all.
  package let fullyMaskedRows: FullyMaskedRows

  /// Makes the rule.
  package init(isCausal: Bool, window: Int? = nil, hasMask: Bool, fullyMaskedRows: FullyMaskedRows)
  {
    self.isCausal = isCausal
    self.window = window
    self.hasMask = hasMask
    self.fullyMaskedRows = fullyMaskedRows
  }

  /// Every query sees every value.
  package static let all = AttentionMasking(isCausal: false, hasMask: false, fullyMaskedRows: .mean)

  /// Whether it depends on places.
  package var isLocal: Bool { isCausal || window != nil }

  var attributes: Attributes {
    var attributes: Attributes = ["causal": .flag(isCausal)]
    if let window { attributes.append("window", .integer(window)) }
    attributes.append("mask", .flag(hasMask))
    attributes.append("fully_masked_rows", .text(fullyMaskedRows.rawValue))
    return attributes
  }

  init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    isCausal = try attributes.flag("causal")
    window = try attributes.optionalInteger("window")
    hasMask = try attributes.flag("mask")
    fullyMaskedRows = try attributes.word("fully_masked_rows")
    if let window, window < 1 { throw attributes.malformed("a window of \(window)") }
  }

  /// Refuses a mask that does not fit the shares, each size being theirs or 1.
  func checkMask(_ mask: TensorType, _ shares: TensorType) throws(ShapeError) {
    guard mask.elementType == .bool, mask.rank == shares.rank,
      zip(mask.shape, shares.shape).allSatisfy({ $0 == 1 || $0.agrees(with: $1) })
    else { throw ShapeError("the mask \(mask) does not fit \(shares)") }
  }

  /// The shares of the values for a query; they add up to 1 unless it sees nothing.
  ///
  /// - Parameters:
  ///   - scores: How well each value's key matches.
  ///   - place: The query's place.
  ///   - mask: What the mask says of each value; 0 for not seen.
  func shares(
    _ scores: [Double], place: Int, mask: ArraySlice<Double>?
  ) -> [Double] {
    let seen = scores.indices.filter { index in
      if isCausal, index > place { return false }
      if let window, abs(index - place) >= window { return false }
      return mask.map { $0[$0.startIndex + index] != 0 } ?? true
    }
    if seen.count == scores.count { return Softmax(axes: [0]).apply(scores[...]) }
    var shares = [Double](repeating: 0, count: scores.count)
    guard seen.isEmpty else {
      for (index, share) in zip(seen, Softmax(axes: [0]).apply(seen.map { scores[$0] }[...])) {
        shares[index] = share
      }
      return shares
    }
    switch fullyMaskedRows {
    case .zero: return shares
    case .mean: return shares.map { _ in 1 / Double(shares.count) }
    case .unmasked: return Softmax(axes: [0]).apply(scores[...])
    }
  }
}
