import ArgumentParser
import Weighbridge

/// What a source file does not say itself.
struct SourceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The architecture of a Keras file with weights only: a to_json file, or an .h5 or \
      .keras of the same network.
      """, valueName: "file"))
  var architecture: String?

  @Option(
    help: ArgumentHelp(
      "The version of Keras whose meaning applies, in place of the file's own.",
      valueName: "version"))
  var kerasVersion: String?

  @Option(
    help: ArgumentHelp(
      "The back end that Keras ran on, in place of the file's own.", valueName: "name"))
  var kerasBackend: String?

  @Option(
    help: ArgumentHelp(
      "What Lambda and custom layers compute (Schemas/custom-layers.schema.json).",
      valueName: "file.json"))
  var customLayers: String?

  @Flag(help: "Keep layers that are not known as they are; the model then cannot run.")
  var keepUnknown = false

  var readOptions: ReadOptions {
    var options = ReadOptions()
    options.architecture = architecture
    options.kerasVersion = kerasVersion
    options.kerasBackend = kerasBackend
    options.customLayers = customLayers
    options.keepsUnknown = keepUnknown
    return options
  }
}
