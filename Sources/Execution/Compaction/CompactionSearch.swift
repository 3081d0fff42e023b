import Bytes
import GraphIR

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Searches for the largest common factor of all steps that a budget allows.
struct CompactionSearch {
  let compactor: Compactor
  private(set) var plans: [WeightPlan]
  /// The step of each weight for an error of about 1.
  let steps: [Double]
  let meter: ErrorMeter
  let budget: CompactionBudget

  /// The maximum number of trials; higher for models that run quickly.
  private var trialCount: Int {
    let examples = Double(max(1, meter.expected.count))
    return compactor.runCount(8...32, operations: 1e11 / examples, of: meter.example)
  }

  /// Searches.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when the budget cannot be met.
  mutating func run() throws(WeighbridgeError) -> CompactionTrial {
    for number in plans.indices {
      try compactor.checkCancellation()
      plans[number].chooseQuantization(
        step: steps[number] * firstFactor, workers: compactor.workers)
      compactor.report("choosing quantization", number + 1, plans.count)
    }
    var bracket = BudgetBracket(grows: growsWithFactor, limits: factors)
    var best: CompactionTrial?
    var closest: CompactionTrial?
    var factor = firstFactor
    let trialCount = trialCount
    for number in 0..<trialCount {
      try compactor.checkCancellation()
      let trial = try trial(factor)
      compactor.report("searching", number + 1, trialCount)
      let use = use(trial)
      if closest.map({ isCloser(trial, $0) }) ?? true { closest = trial }
      if use <= 1, best.map({ isBetter(trial, $0) }) ?? true { best = trial }
      if use <= 1, use > 0.98 { break }
      bracket.add(factor, use: use)
      guard let next = bracket.next else { break }
      factor = next
    }
    guard let best else { throw unmet(closest) }
    return best
  }

  private func isBetter(_ trial: CompactionTrial, _ other: CompactionTrial) -> Bool {
    if case .size = budget { return trial.errors.bound < other.errors.bound }
    return trial.size < other.size
  }

  /// Whether a trial that misses the budget is closer to it than another.
  private func isCloser(_ trial: CompactionTrial, _ other: CompactionTrial) -> Bool {
    switch budget {
    case .error: trial.errors.bound < other.errors.bound
    case .size: trial.size < other.size
    case .answers: (trial.answers?.share ?? 0) > (other.answers?.share ?? 0)
    }
  }

  /// The fraction of the budget that is used: at most 1 if it is met. Increases with the factor for
  /// errors and answers, and decreases for sizes.
  private func use(_ trial: CompactionTrial) -> Double {
    switch budget {
    case .error(let error): trial.errors.bound / error
    case .size(let size): Double(trial.size) / Double(size)
    case .answers(let share, _): (trial.answers?.share ?? 0) >= share ? 0.5 : 2
    }
  }

  private var growsWithFactor: Bool {
    if case .size = budget { return false }
    return true
  }

  private var firstFactor: Double {
    let factor: Double
    switch budget {
    case .error(let error): factor = error
    case .size, .answers: factor = 0.02
    }
    return min(max(factor, factors.lowerBound), factors.upperBound)
  }

  /// The range of sensible factors: from the resolution of single precision to steps so coarse that
  /// nearly all integers are 0.
  private var factors: ClosedRange<Double> {
    let finest = zip(plans, steps).map { $0.smallestStep / $1 }.min() ?? 1
    let coarsest = zip(plans, steps).map { 8 * $0.largest / $1 }.max() ?? 1
    return finest...max(finest, coarsest)
  }

  private func trial(_ factor: Double) throws(WeighbridgeError) -> CompactionTrial {
    let rounded = zip(plans, steps).map {
      $0.rounded(step: $1 * factor, workers: compactor.workers, size: compactor.encodedSize)
    }
    let outputs = try meter.outputs(
      Dictionary(
        zip(plans, rounded).map { ($0.weight.id, $1.tensor) }, uniquingKeysWith: { $1 }))
    let answers = try meter.count(comparison, outputs)
    return CompactionTrial(
      factor: factor, weights: rounded, errors: meter.errors(outputs), answers: answers,
      size: rounded.reduce(exactSize) { $0 + Int(($1.bits / 8).rounded(.up)) })
  }

  private var comparison: AnswerComparison? {
    if case .answers(_, let comparison) = budget { return comparison }
    return compactor.answers
  }

  /// The size of the unchanged weights in bytes.
  private var exactSize: Int {
    compactor.graph.weights.reduce(0) { $0 + $1.tensor.byteCount }
      - plans.reduce(0) { $0 + $1.weight.tensor.byteCount }
  }

  private func unmet(_ closest: CompactionTrial?) -> WeighbridgeError {
    let message: String
    switch budget {
    case .error(let error):
      message =
        "an error of \(error) cannot be met by rounding weights; the smallest reached is "
        + "\(closest?.errors.bound ?? 0), or 0 with a lossless budget"
    case .size(let size):
      message =
        "\(size) bytes cannot be met; the weights take at least \(closest?.size ?? exactSize)"
    case .answers(let share, let comparison):
      let kept = closest?.answers?.share ?? 0
      message =
        "a share of \(share) of the \(comparison.name) cannot be kept by rounding weights; \(kept) can"
    }
    return .limitExceeded(message)
  }
}

/// The result of one factor.
struct CompactionTrial {
  let factor: Double
  let weights: [RoundedWeight]
  let errors: OutputErrors
  let answers: AnswerCount?
  let size: Int

  /// The compaction that the trial gives.
  func compaction(_ search: CompactionSearch, gains: [[Double]]) -> Compaction {
    let weights = search.plans.indices.compactMap { number -> Compaction.Weight? in
      let weight = search.plans[number].weight
      let rounded = self.weights[number]
      guard let matrix = rounded.matrix else { return nil }
      return Compaction.Weight(
        id: weight.id, name: weight.name, form: .integers(matrix), tensor: rounded.tensor,
        bitsPerElement: rounded.bits / Double(weight.tensor.count),
        addedErrors: gains[number].map { $0.squareRoot() * rounded.step })
    }
    return Compaction(weights, of: search.compactor.graph, errors: errors, answers: answers)
  }
}
