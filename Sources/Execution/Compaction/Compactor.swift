package import Bytes
import CPURuntime
package import GraphIR
import LayerCatalog

/// Finds the smallest form of a model's weights for a budget, and measures what it costs.
///
/// The same inputs give the same result, whatever the number of threads as far as the engine's results do
/// not depend on it.
package struct Compactor: Sendable {
  /// How far the work is.
  package struct Progress: Hashable, Sendable {
    /// What is done, for example `measuring weights`.
    package let step: String
    /// How much of the step is done, and how much there is.
    package let done, count: Int
  }

  /// The model.
  package let graph: Graph
  /// The threads to use.
  package var workers: Workers
  /// Looked at again and again.
  package var cancellation: Cancellation?
  /// Called after each part of the work.
  package var progress: (@Sendable (Progress) -> Void)?
  /// The bytes that integers of a tensor of some shape are stored in; estimated from their frequencies
  /// when `nil`.
  package var encodedSize: (@Sendable (_ matrix: QuantizedMatrix, _ shape: [Int]) -> Int)?
  /// What else is looked at in the outputs.
  package var answers: AnswerComparison?
  /// For each output the value on which its error is measured: its own, or the scores of which a
  /// softmax or sigmoids made it. Probabilities next to 0 and 1 hardly change, whatever the weights
  /// lose; scores show it.
  package var measuredValues: [ValueID]

  /// A compactor for a model.
  package init(_ graph: Graph, workers: Workers) {
    (self.graph, self.workers) = (graph, workers)
    measuredValues = graph.outputs.map(\.value)
  }

  /// A meter for examples.
  func meter(
    _ examples: [[Tensor]], _ options: CPURuntime.Options
  ) throws(WeighbridgeError) -> ErrorMeter {
    try ErrorMeter(graph, measuring: measuredValues, examples, options)
  }

  /// Finds the smallest form for a budget.
  ///
  /// - Parameters:
  ///   - calibration: The model's inputs, one list for each example, from which is learned how errors
  ///     work together; some are kept back for measuring how much each weight matters.
  ///   - evaluation: Other examples, on which the budget is measured.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a budget or examples that cannot be;
  ///   ``WeighbridgeError/Code/limitExceeded`` for a budget that cannot be met, with what can;
  ///   ``WeighbridgeError/Code/unsupported`` for a model that cannot run;
  ///   ``WeighbridgeError/Code/cancelled``.
  package func compact(
    calibration: [[Tensor]], evaluation: [[Tensor]], budget: CompactionBudget
  ) throws(WeighbridgeError) -> Compaction {
    try budget.check()
    try check(calibration, "calibration")
    try check(evaluation, "evaluation")
    let options = CPURuntime.Options(workers: workers, cancellation: cancellation)
    let weights = CompactableWeight.all(in: graph)
    try checkWeights(weights)
    let (learned, heldOut) = parted(calibration, weights: weights.count)
    let plans = try plans(weights, learned, options)
    let meter = try self.meter(heldOut, options)
    let gains = try sensitivities(plans, meter)
    let evaluator = try self.meter(evaluation, options)
    let steps = StepAllocation(gains: gains, counts: plans.map(\.weight.tensor.count)).steps
    var search = CompactionSearch(
      compactor: self, plans: plans, steps: steps, meter: evaluator, budget: budget)
    let trial = try search.run()
    return trial.compaction(search, gains: gains)
  }

  /// How many times something may be run so that it takes about so many floating-point operations.
  func runCount(
    _ range: ClosedRange<Int>, operations: Double, of example: [Tensor]?
  ) -> Int {
    let types = example.flatMap { try? graph.specialized(to: $0) }
    let count = Double(types.flatMap { graph.operationCount($0) } ?? Int.max)
    return Int(
      min(Double(range.upperBound), max(Double(range.lowerBound), operations / max(1, count))))
  }

  /// Parts the examples: those that are learned from, and those on which sensitivity is measured, which
  /// are others where there are many.
  func parted(
    _ calibration: [[Tensor]], weights: Int
  ) -> (learned: [[Tensor]], heldOut: [[Tensor]]) {
    let wanted = runCount(4...16, operations: 4e11 / Double(max(1, weights)), of: calibration.first)
    let count = min(wanted, max(1, calibration.count / 4))
    let heldOut = Array(calibration.suffix(calibration.count < 16 ? wanted : count))
    return (calibration.count < 16 ? calibration : calibration.dropLast(count), heldOut)
  }

  func checkWeights(_ weights: [CompactableWeight]) throws(WeighbridgeError) {
    guard weights.isEmpty else { return }
    throw .mismatch(
      "the model has no weights of \(CompactableWeight.leastCount) numbers or more that are "
        + "multiplied with data, so nothing can be left out")
  }

  func check(
    _ examples: [[Tensor]], _ name: String
  ) throws(WeighbridgeError) {
    let least = name == "calibration" ? Self.leastCalibrationCount : 1
    guard examples.count >= least else {
      throw .mismatch("there are \(examples.count) examples for the \(name), and it needs \(least)")
    }
    for inputs in examples { try graph.check(inputs: inputs) }
    let isConstant = examples.allSatisfy { $0.allSatisfy(\.isConstant) }
    guard !isConstant else {
      throw .mismatch(
        "every example for the \(name) has the same number everywhere, which tells nothing of a model"
      )
    }
  }

  private func plans(
    _ weights: [CompactableWeight], _ examples: [[Tensor]], _ options: CPURuntime.Options
  ) throws(WeighbridgeError) -> [WeightPlan] {
    var moments = try Calibration(graph: graph, weights: weights, workers: workers)
      .moments(of: examples, options) { report("running examples", $0, examples.count) }
    var plans: [WeightPlan] = []
    for weight in weights {
      // Let go one by one, so that sums and factors are not all there at once.
      plans.append(
        WeightPlan(weight, RoundingBasis(weight, moments.removeFirst(), workers: workers)))
      try checkCancellation()
      report("factoring", plans.count, weights.count)
    }
    return plans
  }

  /// By how much the mean square of each output's error grows with the square of each weight's step.
  private func sensitivities(
    _ plans: [WeightPlan], _ meter: ErrorMeter
  ) throws(WeighbridgeError) -> [[Double]] {
    var gains: [[Double]] = []
    for plan in plans {
      let step = plan.deviation * Self.probeStep
      let rounded = plan.rounded(step: step, workers: workers)
      let errors = try meter.errors([plan.weight.id: rounded.tensor])
      gains.append(
        errors.relative.map { $0.reduce(0) { $0 + $1 * $1 } / Double($0.count) / (step * step) })
      report("measuring weights", gains.count, plans.count)
    }
    return gains
  }

  /// Fewer examples than this tell nothing of how errors work together.
  package static let leastCalibrationCount = 4

  /// Parts examples of which nobody said what they are for: every fourth is for the evaluation.
  package static func split<Example>(
    _ examples: [Example]
  ) -> (calibration: [Example], evaluation: [Example]) {
    let numbered = examples.enumerated()
    return (
      numbered.filter { $0.offset % 4 != 3 }.map(\.element),
      numbered.filter { $0.offset % 4 == 3 }.map(\.element)
    )
  }

  /// The step with which sensitivity is measured, in deviations of the weight's elements.
  private static let probeStep = 0.08

  func report(_ step: String, _ done: Int, _ count: Int) {
    progress?(Progress(step: step, done: done, count: count))
  }

  func checkCancellation() throws(WeighbridgeError) {
    if let cancellation, cancellation.isCancelled {
      throw .cancelled("cancelled")
    }
  }
}

extension Tensor {
  fileprivate var isConstant: Bool {
    let numbers = doubles
    return numbers.allSatisfy { $0 == numbers[0] }
  }
}
