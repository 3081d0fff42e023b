import Vision

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension ScoreKind {
  /// Returns the probabilities for scores.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for scores that are NaN or infinite (the
  ///   logarithm of a probability of 0 is -infinity; so may be some logits, but not all),
  ///   ``WeighbridgeError/Code/mismatch`` for scores that cannot be of this kind.
  func probabilities(of scores: [Double]) throws(WeighbridgeError) -> [Double] {
    guard !scores.contains(where: \.isNaN) else { throw .malformed("a score of a class is NaN") }
    guard !scores.contains(.infinity) else {
      throw .malformed(
        "a score of a class is infinite, and "
          + "scores must be finite")
    }
    switch self {
    case .probabilities:
      return try checked(scores)
    case .logProbabilities:
      return try checked(scores.map { exp($0) })
    case .logits:
      guard scores.isEmpty || scores.contains(where: \.isFinite) else {
        throw .malformed("the scores of all classes are -infinity, and one at least must be finite")
      }
      let sum = scores.reduce(0, +)
      guard scores.count < 2 || abs(sum - 1) > 1e-4 || scores.contains(where: { $0 < 0 }) else {
        throw Self.ambiguous("add up to 1 as probabilities do, and no layer shows that they are")
      }
      return Activations.softmax(scores)
    }
  }

  private func checked(_ probabilities: [Double]) throws(WeighbridgeError) -> [Double] {
    // Single precision may round a probability a little above 1.
    guard let wrong = probabilities.first(where: { !(-1e-3...1.001 ~= $0) }) else {
      return probabilities
    }
    throw Self.ambiguous("are not probabilities: one is \(wrong)")
  }

  private static func ambiguous(_ what: String) -> WeighbridgeError {
    let names = allCases.map(\.rawValue).joined(separator: ", ")
    return .mismatch(
      "the scores of the classes \(what); say what they are (\(names)) in the model's metadata "
        + "under \(metadataKey)")
  }
}
