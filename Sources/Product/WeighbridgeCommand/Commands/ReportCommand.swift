import ArgumentParser
import Bytes
import JSON
import ModelReport
import Vision
import Weighbridge

/// `weighbridge report`
struct ReportCommand: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Writes a page that shows a model, or two side by side.",
    discussion: """
      One HTML file that loads nothing: what the model takes and gives, where it came from, whether to \
      trust it, its graph, layers and weights, what verifying it shows, and how long a run takes. It \
      tells what is missing and how to add it. Options that describe or verify a model hold for both.

      It takes as long as reading a file and three runs of its model, and a run more with --image. \
      Only --verify, and an output that differs from its reference, take runs of the slow reference \
      engine.

      Example:
        weighbridge report detector.wbm -o detector.html --image street.jpg
        weighbridge report old.h5 new.wbm -o both.html
      """)

  @Argument(
    help: ArgumentHelp("One model or two, of any format that can be read.", valueName: "model"))
  var files: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The page that is written; - for standard output.", valueName: "report.html"))
  var output: String

  @OptionGroup var writing: WritingOptions

  @OptionGroup var reporting: ReportingOptions
  @OptionGroup var original: OriginalOptions

  @OptionGroup(title: "Checking") var checking: CheckingOptions
  @OptionGroup(title: "References") var references: ReferenceOptions
  @OptionGroup(title: "Detection") var detection: DetectionOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Description") var usage: UsageOptions
  @OptionGroup var progress: ProgressOptions
  @OptionGroup var general: GeneralOptions

  func validate() throws {
    guard files.count <= 2 else { throw ValidationError("a report shows one model or two") }
    guard !reporting.noVerify || original.against == nil && !reporting.verify else {
      throw ValidationError(
        "--against and --verify are for verifying, which --no-verify leaves out")
    }
  }

  func run(_ cancellation: Cancellation) throws {
    let models = try readModels()
    let options = try reportOptions(cancellation)
    guard output != "-" else {
      return Console.printLine(try Report(models, options: options).html())
    }
    // This fails early if the page cannot be written.
    var target = try AtomicFile(path: output)
    let report = try Report(models, options: options)
    try unsafe target.append(Array(try report.html().utf8).span.bytes)
    let byteCount = target.count
    try target.commit(replacing: !writing.noClobber)
    general.report(json(report, byteCount)) {
      Console.message("\(output): \(byteCount.grouped) bytes")
    }
  }

  private func readModels() throws(WeighbridgeError) -> [ReportedModel] {
    var readOptions = source.readOptions
    if files.count > 1 || original.against != nil { readOptions.tolerated = Set(APIName.allCases) }
    let edit = try usage.edit()
    var models: [ReportedModel] = []
    for file in files {
      models.append(try ReportedModel(contentsOf: file, options: readOptions, edit: edit))
    }
    return models
  }

  private func reportOptions(
    _ cancellation: Cancellation
  ) throws(WeighbridgeError) -> ReportOptions {
    var options = ReportOptions()
    options.noVerify = reporting.noVerify
    options.verify = reporting.verify
    options.noProfile = reporting.noProfile
    var readOptions = source.readOptions
    readOptions.tolerated = Set(APIName.allCases)  // each may be for only one of the files
    options.verification.against = original.against
    options.verification.againstOptions = readOptions
    options.verification.references = try references.arrays()
    options.verification.tolerance = checking.tolerance
    options.verification.run = general.runOptions(
      cancellation, threads: checking.threading, progress: progress, showsBar: true)
    options.detection = detection.options
    if let image = reporting.image {
      options.image = .init(name: FilePath(image).name, image: try Image(contentsOf: image))
    }
    options.wording = { $0.namingOptions }
    return options
  }

  /// `{"file", "bytes", "models": [{"file", "passed"}]}`
  private func json(_ report: Report, _ byteCount: Int) -> JSONValue {
    let models = zip(files, report.verifications).map { file, verification -> JSONValue in
      .object([
        "file": .string(file), "passed": verification.map { .bool($0.passed) } ?? .null,
      ])
    }
    return .object([
      "file": .string(output), "bytes": .integer(byteCount), "models": .array(models),
    ])
  }
}
