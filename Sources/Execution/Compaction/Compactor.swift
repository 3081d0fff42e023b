package import Bytes
import CPURuntime
package import GraphIR
import LayerCatalog

/// Finds the smallest encoding of a model's weights for a budget, and measures the error it causes.
///
/// Results are reproducible, and independent of the number of threads as far as the engine's are.
package struct Compactor: Sendable {
  /// The progress of the work.
  package struct Progress: Hashable, Sendable {
    /// The current step, for example `measuring weights`.
    package let step: String
    /// The completed and the total number of parts of the step.
    package let done, count: Int
  }

  /// The model.
  package let graph: Graph
  /// The threads to use.
  package var workers: Workers
  /// Checked repeatedly during the work.
  package var cancellation: Cancellation?
  /// Called after each part of the work.
  package var progress: (@Sendable (Progress) -> Void)?
  /// The encoded size in bytes of a quantized tensor; estimated from its entropy when `nil`.
  package var encodedSize: (@Sendable (_ matrix: QuantizedMatrix, _ shape: [Int]) -> Int)?
  /// The answers to compare in addition to the errors.
  package var answers: AnswerComparison?
  /// For each output, the value on which its error is measured: the output itself, or the logits in
  /// front of a softmax or sigmoid. Saturated probabilities hardly change whatever the weights
  /// lose; logits show it.
  package var measuredValues: [ValueID]
  /// The kind of each evaluation example, as a number: 0 for given ones. All are of one kind when
  /// empty.
  package var evaluationKinds: [Int] = []

  /// A compactor for a model.
  package init(_ graph: Graph, workers: Workers) {
    (self.graph, self.workers) = (graph, workers)
    measuredValues = graph.outputs.map(\.value)
  }

  /// An error meter for some examples.
  func meter(
    _ examples: [[Tensor]], kinds: [Int] = [], _ options: CPURuntime.Options
  ) throws(WeighbridgeError) -> ErrorMeter {
    try ErrorMeter(graph, measuring: measuredValues, examples, kinds: kinds, options)
  }

  /// The errors of a compacted model.
  ///
  /// - Parameters:
  ///   - compacted: A graph with the outputs of ``graph``.
  ///   - values: For each of its outputs the value on which its error is measured.
  ///   - examples: The model's inputs, one list per example.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for invalid examples;
  ///   ``WeighbridgeError/Code/unsupported`` for a model that cannot run;
  ///   ``WeighbridgeError/Code/cancelled``.
  package func errors(
    of compacted: Graph, measuring values: [ValueID], on examples: [[Tensor]]
  ) throws(WeighbridgeError) -> OutputErrors {
    try check(examples, "evaluation")
    let options = CPURuntime.Options(workers: workers, cancellation: cancellation)
    return try meter(examples, options).errors(of: compacted, measuring: values)
  }

  /// Finds the smallest encoding for a budget.
  ///
  /// - Parameters:
  ///   - calibration: The model's inputs, one list per example, from which the correlations of
  ///     errors are estimated; some are held out for measuring the sensitivity to each weight.
  ///   - evaluation: Other examples, on which the budget is measured.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an invalid budget or invalid examples;
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
    let (learned, heldOut) = splitCalibration(calibration, weights: weights.count)
    let plans = try plans(weights, learned, options)
    let meter = try self.meter(heldOut, options)
    let gains = try sensitivities(plans, meter)
    let evaluator = try self.meter(evaluation, kinds: evaluationKinds, options)
    let steps = StepAllocation(gains: gains, counts: plans.map(\.weight.tensor.count)).steps
    var search = CompactionSearch(
      compactor: self, plans: plans, steps: steps, meter: evaluator, budget: budget)
    let trial = try search.run()
    return trial.compaction(search, gains: gains)
  }

  /// The number of runs that take about the given number of floating-point operations.
  func runCount(
    _ range: ClosedRange<Int>, operations: Double, of example: [Tensor]?
  ) -> Int {
    let types = example.flatMap { try? graph.specialized(to: $0) }
    let count = Double(types.flatMap { graph.operationCount($0) } ?? Int.max)
    return Int(
      min(Double(range.upperBound), max(Double(range.lowerBound), operations / max(1, count))))
  }

  /// Splits the calibration examples into those that moments are computed from and those on which
  /// sensitivity is measured. With few examples, the two overlap.
  func splitCalibration(
    _ calibration: [[Tensor]], weights: Int
  ) -> (learned: [[Tensor]], heldOut: [[Tensor]]) {
    let preferredCount = runCount(
      4...16, operations: 4e11 / Double(max(1, weights)), of: calibration.first)
    let count = min(preferredCount, max(1, calibration.count / 4))
    let heldOut = Array(calibration.suffix(calibration.count < 16 ? preferredCount : count))
    return (calibration.count < 16 ? calibration : calibration.dropLast(count), heldOut)
  }

  func checkWeights(_ weights: [CompactableWeight]) throws(WeighbridgeError) {
    guard weights.isEmpty else { return }
    throw .mismatch(
      "the model has no weights of \(CompactableWeight.minimumElementCount) numbers or more that are "
        + "multiplied with data, so nothing can be left out")
  }

  func check(
    _ examples: [[Tensor]], _ name: String
  ) throws(WeighbridgeError) {
    let minimumCount = name == "calibration" ? Self.minimumCalibrationCount : 1
    guard examples.count >= minimumCount else {
      throw .mismatch(
        "there are \(examples.count) examples for the \(name), and it needs \(minimumCount)")
    }
    for inputs in examples { try graph.check(inputs: inputs) }
    let isConstant = examples.allSatisfy { $0.allSatisfy(\.isConstant) }
    guard !isConstant else {
      throw .mismatch(
        "every example for the \(name) has the same number everywhere; no error can be measured on it"
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
      // Released one by one so that moments and factors are not all in memory at once.
      plans.append(
        WeightPlan(weight, RoundingBasis(weight, moments.removeFirst(), workers: workers)))
      try checkCancellation()
      report("factoring", plans.count, weights.count)
    }
    return plans
  }

  /// The growth of each output's mean squared error per squared step of each weight.
  private func sensitivities(
    _ plans: [WeightPlan], _ meter: ErrorMeter
  ) throws(WeighbridgeError) -> [[Double]] {
    var gains: [[Double]] = []
    for plan in plans {
      let step = plan.rootMeanSquare * Self.relativeProbeStep
      let rounded = plan.rounded(step: step, workers: workers)
      let errors = try meter.errors([plan.weight.id: rounded.tensor])
      gains.append(
        errors.relative.map { $0.reduce(0) { $0 + $1 * $1 } / Double($0.count) / (step * step) })
      report("measuring weights", gains.count, plans.count)
    }
    return gains
  }

  /// The minimum number of examples for estimating the correlations of errors.
  package static let minimumCalibrationCount = 4

  /// Splits examples without a declared purpose: every fourth is for the evaluation.
  package static func split<Example>(
    _ examples: [Example]
  ) -> (calibration: [Example], evaluation: [Example]) {
    let numbered = examples.enumerated()
    return (
      numbered.filter { $0.offset % 4 != 3 }.map(\.element),
      numbered.filter { $0.offset % 4 == 3 }.map(\.element)
    )
  }

  /// The step with which sensitivity is measured, relative to the root mean square of the weight.
  private static let relativeProbeStep = 0.08

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
