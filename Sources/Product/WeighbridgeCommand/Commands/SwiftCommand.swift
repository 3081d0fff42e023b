import ArgumentParser
import Bytes
import JSON
import Weighbridge

/// `weighbridge swift`
struct SwiftCommand: GeneralCommand {
  static let configuration = CommandConfiguration(
    commandName: "swift",
    abstract: "Writes a typed Swift interface of a model.",
    discussion: """
      A class with a prediction method, and structs for what the model takes and gives, with the \
      model's own names: as Xcode makes them for an .mlmodel, on Linux too. The code imports the \
      library Weighbridge. The package plugin WeighbridgePlugin does the same for every .wbm file of \
      a target.

      Example:
        weighbridge swift detector.wbm -o Sources/App/Detector.swift
      """)

  @Argument(help: "The model, of any format that can be read.")
  var file: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file that is written; - for standard output.", valueName: "Name.swift"))
  var output: String

  @Option(
    help: ArgumentHelp("The class's name; by default the output's.", valueName: "name"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "The name that the model's file has in the target's bundle: the class can then be made without "
        + "a path.",
      valueName: "file.wbm"))
  var bundled: String?

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup var general: GeneralOptions

  func run() throws {
    let model = try Model(contentsOf: file, options: source.readOptions)
    let code = model.swiftInterface(
      named: name ?? FilePath(output == "-" ? file : output).stem, bundled: bundled)
    if output == "-" { return Console.printLine(code) }
    var target = try AtomicFile(path: output)
    try unsafe target.append(Array(code.utf8).span.bytes)
    try target.commit(replacing: true)
    general.report(.object(["file": .string(output)])) { Console.message(output) }
  }
}
