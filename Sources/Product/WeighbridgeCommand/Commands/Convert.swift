import ArgumentParser
import GraphIR
import Weighbridge

/// `weighbridge convert`
struct Convert: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Reads a model of any known format and writes a .wbm file.",
    discussion: """
      Example:
        weighbridge convert tinyyolo.h5 -o tinyyolo.wbm --input-name image --image-input image \
      --image-scale 1/255 --author "A. Author" --license MIT
        weighbridge convert yolov4-pets.cfg --weights yolov4-pets_best.weights --labels pets.names
      """)

  @Argument(
    help: ArgumentHelp("The model, of any format that can be read.", valueName: "in"))
  var input: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The output; by default the input's name with .wbm in the current folder.",
      valueName: "file"))
  var output: String?

  @OptionGroup var writing: WritingOptions

  @Flag(
    help:
      "Make the weights smaller too, as the command compact does; nothing is lost without a budget."
  )
  var compact = false

  @Flag(help: "Check the reference outputs before the file is put in place.")
  var verify = false

  @Option(help: ArgumentHelp("Who computed the reference outputs.", valueName: "text"))
  var referenceBy: String?

  @Option(help: ToleranceArgument.help)
  var tolerance: ToleranceArgument?

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Description") var description: DescriptionOptions
  @OptionGroup(title: "References") var references: ReferenceOptions
  @OptionGroup(title: "Budget of --compact") var budget: BudgetOptions
  @OptionGroup var progress: ProgressOptions
  @OptionGroup var general: GeneralOptions

  func validate() throws {
    guard compact || !budget.isGiven else {
      throw ValidationError("a budget and examples need --compact")
    }
    try budget.check()
    guard referenceBy == nil || references.referenceInputs != nil else {
      throw ValidationError("--reference-by needs --reference-inputs and --reference-outputs")
    }
    guard tolerance == nil || references.referenceInputs != nil else {
      throw ValidationError("--tolerance needs --reference-inputs and --reference-outputs")
    }
  }

  func run(_ cancellation: Cancellation) throws {
    let path = output ?? Self.outputName(for: input)
    var model = try description.describedModel(input, source)
    if let arrays = try references.arrays() {
      try model.addReferences(
        inputs: arrays.inputs, outputs: arrays.outputs, author: referenceBy ?? "",
        tolerance: tolerance?.tolerance)
    }
    if compact {
      model = try budget.compacted(
        model, from: input, general.runOptions(cancellation, progress: progress),
        isQuiet: general.quiet)
    }
    if verify { try check(model, cancellation) }
    let warnings = try model.write(
      to: path, options: writing.options(cancellation))
    for warning in warnings {
      Console.message(
        "warning: \(warning.nonFiniteCount) elements of \(warning.weight) are NaN or infinite")
    }
    try report(model, path)
    end(.done)  // the system frees the model's memory faster than we could
  }

  /// Verifies the reference outputs; a model that fails is not written.
  private func check(_ model: Model, _ cancellation: Cancellation) throws {
    var options = VerifyOptions()
    options.run = general.runOptions(cancellation, progress: progress)
    let report = try model.verify(options)
    guard report.passed else {
      Console.message(report.text)
      throw ExitStatus.checkFailed
    }
  }

  private func report(_ model: Model, _ path: String) throws {
    try general.report(Inspection(of: path).json.namingOptions) {
      Console.message(model.sizeLine(path))
      for line in model.provenance.decisionLines { Console.message(line) }
      guard compact else { return }
      for line in CompactionSummary(try Inspection(of: path), of: model).lines {
        Console.message(line)
      }
    }
  }

  /// Returns the input's base name with the extension `.wbm`; a folder may end in a slash.
  static func outputName(for path: String) -> String {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    return FilePath(String(path)).stem + ".wbm"
  }
}
