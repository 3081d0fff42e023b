package import Bytes
import CPURuntime
package import GraphIR

extension Compactor {
  /// Stores all compactable weights in one encoding.
  ///
  /// - Parameters:
  ///   - calibration: Examples for rounding with error feedback, which is used if it makes the
  ///     measured error smaller; without any, each number is rounded on its own.
  ///   - evaluation: Examples on which the error is measured; without any, nothing is measured and
  ///     the model need not run.
  /// - Throws: As ``compact(calibration:evaluation:budget:)``.
  package func compact(
    as encoding: FixedEncoding, calibration: [[Tensor]] = [], evaluation: [[Tensor]] = []
  ) throws(WeighbridgeError) -> Compaction {
    if !calibration.isEmpty { try check(calibration, "calibration") }
    if !evaluation.isEmpty { try check(evaluation, "evaluation") }
    let options = CPURuntime.Options(workers: workers, cancellation: cancellation)
    let weights = CompactableWeight.all(in: graph)
    try checkWeights(weights)
    func withoutFeedback() throws(WeighbridgeError) -> Compaction {
      try measured(stored(weights, as: encoding, moments: nil), evaluation, options)
    }
    guard let moments = try fixedMoments(encoding, weights, calibration, options) else {
      return try withoutFeedback()
    }
    let withFeedback = try measured(
      stored(weights, as: encoding, moments: moments), evaluation, options)
    guard let error = withFeedback.errors?.worst else { return withFeedback }
    // With few examples, or with sparse table values at the extremes, feedback can increase the
    // error.
    let plain = try withoutFeedback()
    return error < plain.errors?.worst ?? .infinity ? withFeedback : plain
  }

  func stored(
    _ weights: [CompactableWeight], as encoding: FixedEncoding, moments: [InputMoments]?
  ) throws(WeighbridgeError) -> [Compaction.Weight] {
    var stored: [Compaction.Weight] = []
    for (number, weight) in weights.enumerated() {
      try checkCancellation()
      let basis = RoundingBasis(weight, moments?[number], workers: workers)
      let fixed = FixedWeight(weight: weight, basis: basis, workers: workers)
      if let (form, tensor, bits) = fixed.stored(as: encoding) {
        stored.append(
          Compaction.Weight(
            id: weight.id, name: weight.name, form: form, tensor: tensor,
            bitsPerElement: bits / Double(weight.tensor.count), addedErrors: []))
      }
      report("rounding", number + 1, weights.count)
    }
    return stored
  }

  /// The moments of the inputs, if rounding with feedback needs them.
  func fixedMoments(
    _ encoding: FixedEncoding, _ weights: [CompactableWeight], _ calibration: [[Tensor]],
    _ options: CPURuntime.Options
  ) throws(WeighbridgeError) -> [InputMoments]? {
    if calibration.isEmpty { return nil }
    if case .half = encoding { return nil }
    return try Calibration(graph: graph, weights: weights, workers: workers)
      .moments(of: calibration, options) { report("running examples", $0, calibration.count) }
  }

  private func measured(
    _ stored: [Compaction.Weight], _ evaluation: [[Tensor]], _ options: CPURuntime.Options
  ) throws(WeighbridgeError) -> Compaction {
    var (errors, count): (OutputErrors?, AnswerCount?)
    if !evaluation.isEmpty {
      let meter = try self.meter(evaluation, kinds: evaluationKinds, options)
      let outputs = try meter.outputs(
        Dictionary(stored.map { ($0.id, $0.tensor) }, uniquingKeysWith: { $1 }))
      errors = meter.errors(outputs)
      count = try meter.count(answers, outputs)
    }
    return Compaction(stored, of: graph, errors: errors, answers: count)
  }
}
