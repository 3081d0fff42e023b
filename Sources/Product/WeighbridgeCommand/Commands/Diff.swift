import ArgumentParser
import Bytes
import Weighbridge

/// `weighbridge diff`
struct Diff: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
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

  @OptionGroup var pairing: PairingOptions
  @OptionGroup(title: "Checking") var checking: CheckingOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup var general: GeneralOptions

  func run(_ cancellation: Cancellation) throws {
    var options = ComparisonOptions()
    options.names = pairing.names
    options.inputs = try pairing.inputs.map { try ArrayFile.read($0) }
    options.run = general.runOptions(cancellation, threads: checking.threading)
    options.tolerance = checking.tolerance
    var readOptions = source.readOptions
    readOptions.tolerated = Set(APIName.allCases)  // each is for one of the two models
    let model = try Model(contentsOf: first, options: readOptions)
    let other = try Model(contentsOf: second, options: readOptions)
    try source.readOptions.check(
      for: type(of: model.origin.source), type(of: other.origin.source))
    let differences = try model.differences(from: other, options)
    general.report(differences.json) { Console.printLine(differences.text) }
    if !differences.isEmpty { throw ExitStatus.checkFailed }
  }
}
