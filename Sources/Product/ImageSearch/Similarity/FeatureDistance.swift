/// A distance between two feature vectors.
public enum FeatureDistance: String, Hashable, Sendable, CaseIterable {
  /// 1 - a·b / (|a| |b|), from 0 to 2: only the directions count, not the lengths.
  case cosine
  /// |a - b|.
  case euclidean

  /// Returns the distance of two vectors of the same length, accumulated in `Double`.
  ///
  /// - Returns: `nil` for the cosine distance of a vector of zeros, which has no direction.
  public func callAsFunction(_ first: [Float], _ second: [Float]) -> Double? {
    precondition(first.count == second.count)
    switch self {
    case .cosine:
      var (product, firstSquare, secondSquare) = (0.0, 0.0, 0.0)
      for index in first.indices {
        let (a, b) = (Double(first[index]), Double(second[index]))
        product += a * b
        firstSquare += a * a
        secondSquare += b * b
      }
      guard firstSquare > 0, secondSquare > 0 else { return nil }
      // Rounding must not make the distance of parallel vectors negative.
      return max(0, 1 - product / (firstSquare.squareRoot() * secondSquare.squareRoot()))
    case .euclidean:
      var square = 0.0
      for index in first.indices {
        let difference = Double(first[index]) - Double(second[index])
        square += difference * difference
      }
      return square.squareRoot()
    }
  }
}
