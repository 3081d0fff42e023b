/// Step sizes that spend bits where they do most, for errors that add up as squares.
struct StepAllocation: Sendable {
  /// By how much the mean square of the relative error of each output grows with the square of each
  /// weight's step, `[weights][outputs]`.
  let gains: [[Double]]
  /// The number of elements of each weight.
  let counts: [Int]

  /// The steps for which all errors are at most 1, with the fewest bits.
  ///
  /// A bit more for each of n elements halves the step, so the error of a weight is to be as large as its
  /// number of elements (the reverse water filling of rate-distortion theory); where there are several
  /// outputs, those with the largest errors count most.
  var steps: [Double] {
    guard let outputs = gains.first?.count, outputs > 0 else { return [] }
    // An output that a weight hardly touches must not make its step infinite.
    let largest = gains.joined().max() ?? 0
    let least = largest > 0 ? largest * 1e-12 : 1
    var factors = [Double](repeating: 1, count: outputs)
    var steps: [Double] = []
    for _ in 0..<100 {
      steps = zip(gains, counts).map { gains, count in
        let gain = zip(factors, gains).reduce(0) { $0 + $1.0 * $1.1 }
        return (Double(count) / max(gain, least)).squareRoot()
      }
      let errors = self.errors(steps)
      let most = errors.max() ?? 0
      guard most > 0 else { break }
      for output in factors.indices {
        factors[output] *= max(1e-9, (errors[output] / most)).squareRoot()
      }
    }
    let most = errors(steps).max() ?? 0
    return most > 0 ? steps.map { $0 / most.squareRoot() } : steps
  }

  /// The mean squares of the outputs' errors.
  private func errors(_ steps: [Double]) -> [Double] {
    (gains.first ?? []).indices.map { output in
      zip(gains, steps).reduce(0) { $0 + $1.0[output] * $1.1 * $1.1 }
    }
  }
}
