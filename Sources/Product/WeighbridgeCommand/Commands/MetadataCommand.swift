import ArgumentParser
import JSON
import Weighbridge

/// `weighbridge metadata`
struct MetadataCommand: GeneralCommand {
  static let configuration = CommandConfiguration(
    commandName: "metadata",
    abstract: "Shows or changes what a .wbm file says of its model.",
    discussion: """
      Example:
        weighbridge metadata tinyyolo.wbm --set author="A. Author" --unset version

      Keys: name, author, license, version, description, inputs.NAME.description, \
      outputs.NAME.description; any other key is an entry of your own. The tensors are neither \
      decoded nor digested again.
      """)

  @Argument(help: "The file.")
  var file: String

  @Option(help: ArgumentHelp("Sets an entry.", valueName: "key=value"))
  var set: [PairArgument] = []

  @Option(help: ArgumentHelp("Removes an entry.", valueName: "key"))
  var unset: [String] = []

  @Option(help: ToleranceArgument.help)
  var tolerance: ToleranceArgument?

  @OptionGroup var editing: EditingOptions
  @OptionGroup var general: GeneralOptions

  func run() throws {
    if !set.isEmpty || !unset.isEmpty || tolerance != nil || editing.output != nil {
      try Metadata.edit(file, writingTo: editing.output, tolerance: tolerance?.tolerance) {
        (description) throws(WeighbridgeError) in
        for pair in set { try Metadata.set(pair.key, to: pair.value, in: &description) }
        for key in unset { try Metadata.set(key, to: nil, in: &description) }
      }
      guard general.json else { return }
    }
    let description = try Metadata.read(editing.output ?? file)
    Console.printLine(
      general.json ? description.json.text(indented: true) : description.text)
  }
}
