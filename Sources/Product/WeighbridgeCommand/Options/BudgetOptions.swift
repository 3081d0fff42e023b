import ArgumentParser
import Bytes
import Weighbridge

/// The budget of a compaction, and the examples for calibrating and measuring it.
struct BudgetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The largest relative error of each output, such as 0.01.", valueName: "error"))
  var maxError: Double?

  @Option(
    help: ArgumentHelp("The most bytes that the weights may take, such as 5M.", valueName: "size"))
  var maxSize: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "The share of top classes, or of detections, that must stay, such as 0.99.",
      valueName: "share"))
  var keepAnswers: Double?

  @Option(
    help: ArgumentHelp(
      """
      One encoding for all weights that are multiplied with data, whatever that costs: int2 to int8 \
      (a scale for each channel), int2-block32 to int8-block32, palette1 to palette8, float16, bfloat16.
      """, valueName: "name"))
  var encoding: String?

  @Option(
    help: ArgumentHelp(
      """
      int8 or bfloat16: compute layers with 8-bit integers or bfloat16, both weights and data: as \
      many layers as --max-error allows (\(CompactOptions.defaultActivationError) by default). The \
      weights of the others stay exact.
      """, valueName: "type"))
  var activations: EnumArgument<CompactOptions.Activations>?

  @Flag(help: "Lose nothing; what happens without a budget, too.")
  var lossless = false

  @Flag(
    help: "Make batch normalizations part of the weights before them; by default they stay exact.")
  var foldBatchNorm = false

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Images, files of arrays (.npy, .npz) or folders of either to decide by.", valueName: "path"))
  var calibration: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Others to measure the loss on.", valueName: "path"))
  var evaluation: [String] = []

  @Flag(
    inversion: .prefixedNo,
    help: "Store an example with its outputs, by which the loss can be verified.")
  var proof: Bool?

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

  func validate() throws {
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
    if let maxError, !(maxError > 0 && maxError.isFinite) {
      throw ValidationError("--max-error takes a number above 0")
    }
    if let maxSize, maxSize.bytes < 1 { throw ValidationError("--max-size takes a size above 0") }
    if let keepAnswers, !(keepAnswers > 0 && keepAnswers <= 1) {
      throw ValidationError("--keep-answers takes a share above 0, at most 1")
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
    options.storesProof = proof
    options.foldBatchNorm = foldBatchNorm
    return options
  }
}
