import Compaction
import Verifier

/// Measures the stated error of a compacted model anew, on inputs that a user gives.
struct BoundCheck: VerificationCheck {
  let name = "bound"
  let model: Model
  let original: ModelContent
  let examples: CompactOptions.Examples
  let options: RunOptions

  func run(_ subject: VerificationSubject) throws(WeighbridgeError) -> [CheckResult] {
    guard let record = subject.content.compaction, !record.outputs.isEmpty else {
      return [CheckResult(name, .failed, "the model states no error that could be measured anew")]
    }
    var inputs: [[Tensor]] = []
    for arrays in examples.inputs { inputs.append(try model.inputTensors(arrays)) }
    let graph = subject.content.graph
    var compactor = Compactor(original.graph, workers: Workers(count: options.threadCount))
    compactor.cancellation = options.cancellation
    compactor.measuredValues = original.graph.rawOutputs
    let errors = try compactor.errors(of: graph, measuring: graph.rawOutputs, on: inputs)
    return zip(graph.outputs, errors.relative).compactMap { port, errors in
      record.outputs.first { $0.output == port.name }.map { result($0, errors) }
    }
  }

  private func result(
    _ stated: CompactionRecord.OutputLoss, _ errors: [Double]
  ) -> CheckResult {
    let bound = stated.bound > 0 ? stated.bound : stated.worst
    let beyond = errors.count { $0 > bound }
    let holds = 20 * beyond <= errors.count
    let measured =
      "\(stated.output): at most \(bound.scientific) is stated, and "
      + "\(beyond) of \(examples.words) \(beyond == 1 ? "exceeds" : "exceed") it; "
      + "the largest error is \((errors.max() ?? 0).scientific)"
    let advice = ", so that the bound does not hold for them: compact the original with such inputs"
    return CheckResult(name, holds ? .passed : .failed, holds ? measured : measured + advice)
  }
}
