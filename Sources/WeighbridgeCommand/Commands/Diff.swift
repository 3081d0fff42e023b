import ArgumentParser
import Dispatch
import JSON
import Weighbridge

/// `weighbridge diff`
struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares two models of any formats.",
    discussion: """
      Layers are paired by structure, whatever their names and the order of the image axes; \
      weights are compared number by number; metadata are listed.

      Example:
        weighbridge diff old.h5 new.keras --inputs input.npy
      """)

  @Argument(help: "A model, of any format that can be read.")
  var first: String

  @Argument(help: "Another one.")
  var second: String

  @Flag(help: "Pair layers by their names, and compare names too.")
  var names = false

  @Option(
    help: ArgumentHelp(
      "Run both on these arrays and compare the outputs too.", valueName: "file"))
  var inputs: String?

  @Option(help: ArgumentHelp("The absolute part of the tolerance.", valueName: "x"))
  var atol: Double?

  @Option(help: ArgumentHelp("The part relative to the largest wanted number.", valueName: "x"))
  var rtol: Double?

  @Option(help: ArgumentHelp("How many threads work at once.", valueName: "n"))
  var threads: Int?

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
    var options = ComparisonOptions()
    options.usesNames = names
    options.inputs = try inputs.map { try ArrayFile.read($0) }
    options.run.cancellation = cancellation
    options.run.threads = threads
    if atol != nil || rtol != nil {
      let standard = Tolerance.standard(for: .float32)
      options.tolerance = Tolerance(
        absolute: atol ?? standard.absolute, relative: rtol ?? standard.relative)
    }
    var readOptions = source.readOptions
    readOptions.toleratesStoredModels = true
    let model = try Model(contentsOf: first, options: readOptions)
    let other = try Model(contentsOf: second, options: readOptions)
    let differences = try model.differences(from: other, options)
    if general.json {
      Console.printLine(differences.json.text(indented: true))
    } else if !general.quiet {
      Console.printLine(differences.text)
    }
    if !differences.areNone { throw ExitStatus.checkFailed }
  }
}
