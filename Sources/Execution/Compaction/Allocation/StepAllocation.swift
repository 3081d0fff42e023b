/// Step sizes that spend bits where they help most, for errors whose squares add up.
struct StepAllocation: Sendable {
  /// The growth of the mean squared relative error of each output per squared step of each weight,
  /// `[weights][outputs]`.
  let gains: [[Double]]
  /// The number of elements of each weight.
  let counts: [Int]

  /// The steps for which all errors are at most 1, with the fewest bits.
  ///
  /// One more bit for each of n elements halves the step, so at the optimum each weight's squared
  /// error is proportional to its number of elements (reverse water filling of rate-distortion
  /// theory). With several outputs, those with the largest errors count most.
  var steps: [Double] {
    guard let outputs = gains.first?.count, outputs > 0 else { return [] }
    // A weight that hardly affects any output must not get an infinite step.
    let largest = gains.joined().max() ?? 0
    let minimumGain = largest > 0 ? largest * 1e-12 : 1
    var factors = [Double](repeating: 1, count: outputs)
    var steps: [Double] = []
    for _ in 0..<100 {
      steps = zip(gains, counts).map { gains, count in
        let gain = zip(factors, gains).reduce(0) { $0 + $1.0 * $1.1 }
        return (Double(count) / max(gain, minimumGain)).squareRoot()
      }
      let errors = self.errors(steps)
      let largestError = errors.max() ?? 0
      guard largestError > 0 else { break }
      for output in factors.indices {
        factors[output] *= max(1e-9, (errors[output] / largestError)).squareRoot()
      }
    }
    let largestError = errors(steps).max() ?? 0
    return largestError > 0 ? steps.map { $0 / largestError.squareRoot() } : steps
  }

  /// The mean squares of the outputs' errors.
  private func errors(_ steps: [Double]) -> [Double] {
    (gains.first ?? []).indices.map { output in
      zip(gains, steps).reduce(0) { $0 + $1.0[output] * $1.1 * $1.1 }
    }
  }
}
