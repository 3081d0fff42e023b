import ArgumentParser
import Dispatch
import JSON
import Weighbridge

/// `weighbridge verify`
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks that a model file is whole and computes what the original computed.",
    discussion: """
      Example:
        weighbridge verify tinyyolo.wbm --against tinyyolo.h5
      """)

  @Argument(help: "The model file.")
  var file: String

  @Option(help: ArgumentHelp("The original file to compare with.", valueName: "source"))
  var against: String?

  @Flag(help: "Compare layer by layer and name the first that diverges.")
  var layers = false

  @Option(help: ArgumentHelp("The absolute part of the tolerance.", valueName: "x"))
  var atol: Double?

  @Option(help: ArgumentHelp("The part relative to the largest wanted number.", valueName: "x"))
  var rtol: Double?

  @Option(help: ArgumentHelp("How many threads work at once.", valueName: "n"))
  var threads: Int?

  @OptionGroup(title: "References") var references: ReferenceOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup var general: GeneralOptions

  func validate() throws {
    for value in [atol, rtol].compactMap({ $0 }) where !(value >= 0) {
      throw ValidationError("a tolerance is a number from 0")
    }
    if let threads, threads < 1 { throw ValidationError("--threads takes a number from 1") }
  }

  func run() throws {
    let (cancellation, signals) = Interrupts.cancellation()
    defer { signals.cancel() }
    var options = VerifyOptions()
    options.source = against.map { (path: $0, options: source.readOptions) }
    options.references = try references.arrays()
    options.checksLayers = layers
    options.run.cancellation = cancellation
    options.run.threads = threads
    if atol != nil || rtol != nil {
      let standard = Tolerance.standard(for: .float32)
      options.tolerance = Tolerance(
        absolute: atol ?? standard.absolute, relative: rtol ?? standard.relative)
    }
    let readOptions = against == nil ? source.readOptions : ReadOptions()
    let report = try Model(contentsOf: file, options: readOptions).verify(options)
    if general.json {
      Console.printLine(report.json.text(indented: true))
    } else if !general.quiet {
      Console.printLine("\(file)\n\(report.text)")
    }
    if !report.passed { throw ExitStatus.checkFailed }
  }
}
