/// What a layer does to its input in training only: random numbers keep a network from relying on
/// single elements. When a model runs, such a layer passes its input on.
package struct TrainingNoise: Hashable, Sendable {
  /// What the random numbers are.
  package enum Kind: String, CaseIterable, Sendable {
    /// Elements become 0 with the probability `rate`, and the others are divided by 1 - `rate`
    /// (Srivastava et al. 2014).
    case dropout
    /// Elements get the lower bound of SELU with the probability `rate`; mean and variance are kept
    /// (Klambauer et al. 2017).
    case alphaDropout = "alpha_dropout"
    /// Elements are multiplied by numbers of a normal distribution with the mean 1 and the variance
    /// `rate` / (1 - `rate`).
    case gaussianDropout = "gaussian_dropout"
    /// Numbers of a normal distribution with the mean 0 and the standard deviation `rate` are added.
    case gaussianNoise = "gaussian_noise"
  }

  /// What the random numbers are.
  package let kind: Kind
  /// The probability or the standard deviation.
  package let rate: Double
  /// The axes along which all elements share one random number.
  package let sharedAxes: [Int]

  /// Creates noise; `nil` if it has no effect, or leaves nothing of the input.
  package init?(_ kind: Kind, rate: Double, sharedAxes: [Int] = []) {
    guard rate > 0, rate < (kind == .gaussianNoise ? .infinity : 1) else { return nil }
    self.kind = kind
    self.rate = rate
    self.sharedAxes = sharedAxes
  }

  /// The same noise for transposed data.
  func permutingAxes(_ axes: [Int]) -> TrainingNoise? {
    TrainingNoise(
      kind, rate: rate, sharedAxes: axes.indices.filter { sharedAxes.contains(axes[$0]) })
  }
}
