import ArgumentParser
import Bytes
import Weighbridge

extension BudgetOptions {
  /// Whether any of these options is given.
  var isGiven: Bool { budgetCount > 0 || activations != nil || needsBudget }

  /// The number of budgets that are given.
  private var budgetCount: Int {
    [maxError != nil, maxSize != nil, keepAnswers != nil, encoding != nil, lossless].count { $0 }
  }

  /// Whether an option is given that has a meaning with a budget only.
  private var needsBudget: Bool {
    !calibration.isEmpty || !evaluation.isEmpty || proof != nil || foldBatchNorm
  }

  /// Returns a compacted model, with a progress bar.
  ///
  /// - Parameter file: The model's file, for errors.
  func compacted(
    _ model: Model, from file: String, _ run: RunOptions, isQuiet: Bool
  ) throws(WeighbridgeError) -> Model {
    var options = try options(for: model)
    options.run = run
    options.progress = { ProgressBar(count: $0.count, isQuiet: isQuiet).show($0.done, $0.step) }
    defer { ProgressBar(count: 2, isQuiet: isQuiet).clear() }
    let finalOptions = options
    return try locating({ $0.at(file: file) }) { () throws(WeighbridgeError) in
      try model.compacted(finalOptions)
    }
  }

  /// Throws if the options contradict each other.
  func check() throws {
    guard budgetCount <= 1 else {
      throw ValidationError(
        "--max-error, --max-size, --keep-answers, --encoding and --lossless exclude each other")
    }
    guard activations == nil || budgetCount == 0 || maxError != nil else {
      throw ValidationError("--activations goes with --max-error, or no budget")
    }
    guard budgetCount == 1 && !lossless || activations != nil || !needsBudget else {
      throw ValidationError(
        "--calibration, --evaluation, --proof and --fold-batch-norm need a budget: --max-error, "
          + "--max-size, --keep-answers or --encoding, or --activations")
    }
  }

  /// Returns the options for a model; reads the examples.
  private func options(for model: Model) throws(WeighbridgeError) -> CompactOptions {
    var options = CompactOptions()
    if let maxError { options.budget = .error(maxError) }
    if let maxSize { options.budget = .size(maxSize.bytes) }
    if let keepAnswers { options.budget = .keptAnswers(keepAnswers) }
    if let encoding { options.budget = .encoding(encoding) }
    options.activations = activations?.value
    options.calibration = try model.examples(in: calibration)
    options.evaluation = try model.examples(in: evaluation)
    options.proof = proof
    options.foldBatchNorm = foldBatchNorm
    return options
  }
}
