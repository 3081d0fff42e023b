import ArgumentParser
import Weighbridge

/// `weighbridge verify`
struct Verify: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks that a model file is whole and computes what the original computed.",
    discussion: """
      A compacted file states an error that at most 1 in 20 inputs should exceed. With the original and \
      --evaluation, it is measured anew on your inputs; if more of them exceed it, the check fails.

      Examples:
        weighbridge verify tinyyolo.wbm --against tinyyolo.h5
        weighbridge verify small.wbm --against tinyyolo.h5 --evaluation photos/
      """)

  @Argument(help: "The model file.")
  var file: String

  @OptionGroup var original: OriginalOptions

  @Flag(help: "Compare layer by layer and name the first that diverges.")
  var layers = false

  @OptionGroup(title: "Checking") var checking: CheckingOptions
  @OptionGroup(title: "References") var references: ReferenceOptions
  @OptionGroup(title: "Stated error") var measuring: MeasuringOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup var progress: ProgressOptions
  @OptionGroup var general: GeneralOptions

  func run(_ cancellation: Cancellation) throws {
    var options = VerifyOptions()
    options.against = original.against
    options.againstOptions = source.readOptions
    options.references = try references.arrays()
    options.layers = layers
    options.run = general.runOptions(
      cancellation, threads: checking.threading, progress: progress, showsBar: true)
    options.tolerance = checking.tolerance
    let readOptions = original.against == nil ? source.readOptions : ReadOptions()
    let model = try Model(contentsOf: file, options: readOptions)
    options.evaluationExamples = try model.examples(in: measuring.evaluation)
    let report = try model.verify(options)
    general.report(report.json.namingOptions) { Console.printLine("\(file)\n\(report.text)") }
    if !report.passed { throw ExitStatus.checkFailed }
  }
}
