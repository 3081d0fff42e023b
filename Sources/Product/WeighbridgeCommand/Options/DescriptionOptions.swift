import ArgumentParser
import Weighbridge

/// The user's description of the model.
struct DescriptionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Who made the model.", valueName: "text"))
  var author: String?

  @Option(
    help: ArgumentHelp("The terms of use: an SPDX expression or any text.", valueName: "text"))
  var license: String?

  @Option(help: ArgumentHelp("The model's own version.", valueName: "text"))
  var modelVersion: String?

  @Option(help: ArgumentHelp("What the model does.", valueName: "text"))
  var description: String?

  @Option(help: ArgumentHelp("A new name for an input: OLD=NEW, or NAME.", valueName: "name"))
  var inputName: [RenameArgument] = []

  @Option(help: ArgumentHelp("A new name for an output: OLD=NEW, or NAME.", valueName: "name"))
  var outputName: [RenameArgument] = []

  @Option(help: ArgumentHelp("What an input holds: NAME=TEXT.", valueName: "name=text"))
  var inputDescription: [PairArgument] = []

  @Option(help: ArgumentHelp("What an output holds: NAME=TEXT.", valueName: "name=text"))
  var outputDescription: [PairArgument] = []

  @OptionGroup var usage: UsageOptions

  /// Returns the edit of these options, which take precedence over the metadata file.
  func edit() throws(WeighbridgeError) -> DescriptionEdit {
    var edit = try usage.edit()
    edit.author = author ?? edit.author
    edit.license = license ?? edit.license
    edit.version = modelVersion ?? edit.version
    edit.summary = description ?? edit.summary
    edit.inputNames += inputName.map(\.rename)
    edit.outputNames += outputName.map(\.rename)
    for pair in inputDescription { edit.inputSummaries[pair.key] = pair.value }
    for pair in outputDescription { edit.outputSummaries[pair.key] = pair.value }
    return edit
  }

  /// Reads a model that will be written, and applies the description.
  ///
  /// - Parameter source: Settings that the file does not contain.
  func describedModel(
    _ path: String, _ source: SourceOptions
  ) throws(WeighbridgeError) -> Model {
    var options = source.readOptions
    options.preparesWriting = true
    let edit = try edit()
    options.findsLabels = edit.labels == nil
    var model = try Model(contentsOf: path, options: options)
    try model.describe(edit)
    return model
  }
}
