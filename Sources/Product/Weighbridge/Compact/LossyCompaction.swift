import Compaction
import TensorEncoding

/// A lossy compaction and its record.
struct LossyCompaction {
  private let original: Model
  private let options: CompactOptions
  private let goal: Goal
  private let examples: CompactionExamples?
  private let answers: (comparison: AnswerComparison, kind: CompactionRecord.Answers.Kind)?

  private enum Goal {
    case budget(CompactionBudget)
    case encoding(FixedEncoding)
    case activations(CompactOptions.Activations, error: Double)
  }

  /// Prepares the compaction; `nil` when no loss is accepted.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an invalid budget, answers that the model
  ///   does not give, or examples that do not fit it; ``WeighbridgeError/Code/unsupported`` when it
  ///   cannot run.
  init?(_ model: Model, _ options: CompactOptions) throws(WeighbridgeError) {
    guard options.budget != .lossless || options.activations != nil else {
      guard !options.foldBatchNorm else {
        throw .mismatch(
          "folding batch normalizations rounds weights, so it needs a budget that allows a loss")
      }
      return nil
    }
    guard model.content.compaction == nil else {
      throw .mismatch(
        "has already been compacted with a loss; start from the model that it was made from")
    }
    answers = ModelAnswers.of(model)
    switch (options.budget, options.activations) {
    case (.lossless, let type?):
      goal = .activations(type, error: CompactOptions.defaultActivationError)
    case (.error(let error), let type?): goal = .activations(type, error: error)
    case (_, let type?):
      throw .mismatch(
        "\(type) activations can be combined with an error as the budget, or with no budget")
    case (.lossless, nil): return nil
    case (.error(let error), nil): goal = .budget(.error(error))
    case (.size(let size), nil): goal = .budget(.size(size))
    case (.encoding(let name), nil):
      guard let encoding = FixedEncoding(name: name) else {
        throw .mismatch(
          "\(name) is not an encoding; use one of "
            + CompactOptions.encodingNames.joined(separator: ", "))
      }
      goal = .encoding(encoding)
    case (.keptAnswers(let fraction), nil):
      guard let answers else {
        throw .mismatch(
          "the model gives no answers that can be counted: it is not a classifier or detector")
      }
      goal = .budget(.answers(fraction, answers.comparison))
    }
    var original = model
    if options.foldBatchNorm {
      original.content.graph = try BatchNormalizationFolding(model.content.graph).graph
    }
    (self.original, self.options) = (original, options)
    // A model that cannot run can still be stored in an encoding; then nothing is measured.
    var isOpaque = false
    if case .encoding = goal { isOpaque = !model.content.graph.opaqueNodes.isEmpty }
    if !isOpaque { try model.content.graph.checkRuns() }
    examples = isOpaque ? nil : try CompactionExamples(options, model)
  }

  /// Replaces a model's weights by smaller ones and adds a record of the loss.
  ///
  /// - Throws: See ``Model/compacted(_:)``.
  func apply(to model: inout Model) throws(WeighbridgeError) {
    var compactor = Compactor(
      original.content.graph, workers: Workers(count: options.run.threadCount))
    compactor.cancellation = options.run.cancellation
    compactor.answers = answers?.comparison
    compactor.measuredValues = original.content.graph.rawOutputs
    if let progress = options.progress {
      compactor.progress = { progress(.init(step: $0.step, done: $0.done, count: $0.count)) }
    }
    compactor.encodedSize = { matrix, shape in
      RANSIntegers.encode(matrix.content, shape: shape).count
    }
    compactor.evaluationKinds = examples?.evaluationKinds ?? []
    let (calibration, evaluation) = (examples?.calibration ?? [], examples?.evaluation ?? [])
    let compaction =
      switch goal {
      case .budget(let budget):
        try compactor.compact(calibration: calibration, evaluation: evaluation, budget: budget)
      case .encoding(let encoding):
        try compactor.compact(as: encoding, calibration: calibration, evaluation: evaluation)
      case .activations(let type, let error):
        try compactor.compactActivations(
          as: type.activationType, calibration: calibration, evaluation: evaluation, error: error)
      }
    var constants: [ValueID: Tensor] = [:]
    for weight in compaction.weights { constants[weight.id] = try weight.encoded() }
    model.content.graph = original.content.graph.settingConstants(constants)
      .quantizing(compaction.quantizations)
    model.content.compaction = record(compaction)
    model.content.references = try references(of: model, compaction)
  }

  private var request: String {
    guard case .activations(let type, let error) = goal else {
      return options.budget.requestDescription
    }
    return "\(type) activations, \(CompactOptions.Budget.error(error).requestDescription)"
  }

  private func record(_ compaction: Compaction) -> CompactionRecord {
    var outputs: [CompactionRecord.OutputLoss] = []
    if let errors = compaction.errors {
      for (index, port) in original.outputs.enumerated() {
        outputs.append(
          .init(
            output: port.name, worst: errors.worst(index), mean: errors.mean(index),
            bound: errors.bound(index)))
      }
    }
    let weights = compaction.weights.map { weight in
      CompactionRecord.WeightLoss(
        weight: weight.name,
        error: original.content.graph[weight.id].constant.map {
          TensorDifference(actual: weight.tensor, expected: $0).relativeL2
        } ?? 0)
    }
    var keptAnswers: CompactionRecord.Answers?
    if let answers, let count = compaction.answers {
      keptAnswers = .init(kind: answers.kind, kept: count.kept, total: count.count)
    }
    return CompactionRecord(
      author: "weighbridge \(weighbridgeVersion)",
      request: request
        + (options.foldBatchNorm ? ", batch normalizations folded" : ""),
      inputs: examples?.evaluationSummary ?? "nothing: the model cannot run",
      inputCount: examples?.evaluation.count ?? 0,
      originalByteCount: original.content.graph.weights.reduce(0) { $0 + $1.tensor.byteCount },
      outputs: outputs, weights: weights, answers: keptAnswers,
      caution: compaction.errors == nil ? "" : examples?.caution ?? "")
  }

  /// Returns the original's reference outputs with the measured loss as their tolerance; if there
  /// are none, an example with the original's outputs, when that is small enough.
  private func references(
    of model: Model, _ compaction: Compaction
  ) throws(WeighbridgeError) -> [ReferenceSet] {
    guard let examples else { return [] }
    var sets = original.references.filter { !$0.outputs.isEmpty }
    if sets.isEmpty, let example = try storedExample(examples, compaction) { sets = [example] }
    for index in sets.indices {
      sets[index].layers = []
      sets[index].tolerance = Tolerance(relativeL2: try loss(model, sets[index]))
      sets[index].toleranceSource = .compaction
    }
    return sets
  }

  /// Returns an example with the original's outputs, unless it is too large or not wanted.
  private func storedExample(
    _ examples: CompactionExamples, _ compaction: Compaction
  ) throws(WeighbridgeError) -> ReferenceSet? {
    guard options.proof != false, let inputs = examples.evaluation.first else { return nil }
    let outputs = try options.run.runtime().run(original.content.graph, inputs: inputs) { _ in }
    var size = 0
    for tensor in inputs + outputs { size += try LosslessForm.encoded(tensor).storedByteCount }
    guard options.proof == true || size <= compaction.estimatedSize / 10 else { return nil }
    return ReferenceSet(
      author: "weighbridge \(weighbridgeVersion), before the weights were made smaller",
      inputs: zip(original.inputs, inputs).map { .init(name: $0.name, tensor: $1) },
      outputs: zip(original.outputs, outputs).map { .init(name: $0.name, tensor: $1) }, layers: [],
      tolerance: Tolerance(relativeL2: 0), toleranceSource: .compaction)
  }

  /// Returns a model's largest relative error from reference outputs, with a margin for the
  /// rounding of engines.
  private func loss(_ model: Model, _ set: ReferenceSet) throws(WeighbridgeError) -> Double {
    let arrays = set.inputs.map { NamedTensor(name: $0.name, tensor: $0.tensor) }
    let outputs = try model.run(arrays, options: options.run).outputs
    var worst = 0.0
    for entry in set.outputs {
      guard let output = outputs.first(where: { $0.name == entry.name })?.tensor,
        output.shape == entry.tensor.shape
      else { continue }
      worst = max(worst, TensorDifference(actual: output, expected: entry.tensor).relativeL2)
    }
    return worst * 1.02 + 1e-6
  }
}

extension CompactOptions.Budget {
  /// The request, for the record.
  fileprivate var requestDescription: String {
    switch self {
    case .lossless: "no loss"
    case .error(let error): "a relative error of at most \(error)"
    case .size(let size): "at most \(size) bytes of weights"
    case .keptAnswers(let fraction): "at least \(fraction) of the answers the same"
    case .encoding(let name): "all weights as \(name)"
    }
  }
}

extension CompactOptions.Activations {
  fileprivate var activationType: ActivationType {
    switch self {
    case .int8: .int8
    case .bfloat16: .bfloat16
    }
  }
}
