import Compaction

/// The examples for calibrating and measuring a compaction.
struct CompactionExamples {
  /// For each example, one array for each input.
  let calibration, evaluation: [[Tensor]]
  /// A description of the evaluation examples.
  let evaluationSummary: String

  private static let calibrationCount = 64
  private static let evaluationCount = 16

  /// - Throws: ``WeighbridgeError/Code/mismatch`` for arrays that do not fit the model, or too few.
  init(_ options: CompactOptions, _ model: Model) throws(WeighbridgeError) {
    var given: [[Tensor]]?
    if let examples = options.calibration { given = try Self.tensors(examples, model) }
    if let evaluation = options.evaluation {
      self.evaluation = try Self.tensors(evaluation, model)
      evaluationSummary = evaluation.words
      calibration =
        if let given { given } else {
          try Self.generated(Self.calibrationCount, seed: 1, model, options).examples
        }
    } else if let given {
      let minimumCount = Compactor.minimumCalibrationCount + 2
      guard given.count >= minimumCount else {
        throw .mismatch(
          "\(given.count) examples are too few to learn from some and to measure on others: at "
            + "least \(minimumCount) are needed")
      }
      (calibration, evaluation) = Compactor.split(given)
      evaluationSummary =
        "\(evaluation.count) of \(options.calibration?.words ?? "the examples"), kept back"
    } else {
      calibration = try Self.generated(Self.calibrationCount, seed: 1, model, options).examples
      (evaluation, evaluationSummary) = try Self.generated(
        Self.evaluationCount, seed: 1 << 20, model, options)
    }
  }

  private static func tensors(
    _ examples: CompactOptions.Examples, _ model: Model
  ) throws(WeighbridgeError) -> [[Tensor]] {
    var tensors: [[Tensor]] = []
    for arrays in examples.inputs { tensors.append(try model.inputTensors(arrays)) }
    return tensors
  }

  private static func generated(
    _ count: Int, seed: UInt64, _ model: Model, _ options: CompactOptions
  ) throws(WeighbridgeError) -> (examples: [[Tensor]], summary: String) {
    var images: [String: ImageInput] = [:]
    for feature in model.metadata.inputs { images[feature.name] = feature.image }
    let examples = try model.content.graph.generatedExamples(
      count, images: images, seed: seed, workers: Workers(count: options.run.threadCount))
    let kind = images.isEmpty ? "generated inputs (noise)" : "generated images"
    return (examples, "\(count) \(kind)")
  }
}
