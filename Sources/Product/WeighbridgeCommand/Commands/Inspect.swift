import ArgumentParser
import JSON
import Weighbridge

/// `weighbridge inspect`
struct Inspect: GeneralCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows what is in a model file.",
    discussion: """
      Example:
        weighbridge inspect tinyyolo.wbm --layers

      For a model that cannot be converted, it shows the layers, with shapes where they are known, \
      and what is not supported; for a file of weights alone, their names, shapes and types.
      """)

  @Argument(help: "The model, of any format that can be read.")
  var file: String

  @Flag(help: "Show every layer with its shape and parameters.")
  var layers = false

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup var general: GeneralOptions

  func run() throws {
    let inspection = try Inspection(of: file, options: source.readOptions)
    Console.printLine(
      general.json
        ? inspection.json.namingOptions.text(indented: true) : inspection.text(layers: layers))
    if let problem = inspection.problem, !general.quiet {
      Console.message("note: it cannot be converted as it is: \(problem)")
    }
  }
}
