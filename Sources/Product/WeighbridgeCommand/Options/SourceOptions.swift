import ArgumentParser
import Weighbridge

/// Settings that a source file does not contain.
struct SourceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The architecture of a Keras file with weights only: a to_json or to_yaml file, or an .h5 or \
      .keras of the same network; by default the one beside it, called model.json, NAME.json, \
      NAME_architecture.json or config.json (or .yaml). Of a .safetensors or .npz file: one of \
      these, a .cfg or a .wbm.
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
      """
      The shape of an input of a Keras model without the batch axis, where the file leaves it or \
      sizes of it open: 8, or 28,28,1, or None,3 where any length will do; NAME=28,28,1 where there \
      are several inputs. May be repeated. What the file states must agree.
      """, valueName: "name=shape"))
  var inputShape: [InputShapeArgument] = []

  @Option(
    help: ArgumentHelp(
      "What Lambda and custom layers compute (Schemas/custom-layers.schema.json).",
      valueName: "file.json"))
  var customLayers: String?

  @Flag(
    name: .customLong("from-token-ids"),
    help: """
      Read a Keras model that looks texts up (TextVectorization, StringLookup) from the token \
      ids on, which become its input: convert --from-token-ids reviews.keras
      """)
  var startsAtTokens = false

  @Flag(help: "Keep layers that are not known as they are; the model then cannot run.")
  var keepUnknown = false

  @Option(
    help: ArgumentHelp(
      "The weights of a darknet .cfg; by default the same name with .weights.",
      valueName: "file"))
  var weights: String?

  @Option(
    help: ArgumentHelp(
      """
      Whose darknet a .cfg is for: alexeyab or pjreddie. By default the one that alone knows \
      a key of it, else alexeyab.
      """, valueName: "fork"))
  var darknet: EnumArgument<DarknetFork>?

  @Option(
    help: ArgumentHelp(
      "A darknet .data file, for the labels; by default a .names file that fits, beside the .cfg.",
      valueName: "file.data"))
  var data: String?

  @Option(
    help: ArgumentHelp("Make up the weights of a darknet .cfg.", valueName: "seed"))
  var randomWeights: UInt64?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      """
      Fix an input of an ONNX model that is a single number, for example --set sr=16000: it is no \
      input any more, and what the model decides by it is decided. May be given for several inputs.
      """, valueName: "input=number"))
  var fixed: [FixedInputArgument] = []

  @Flag(help: "Refuse what the original framework passes over in silence.")
  var strict = false

  func validate() throws {
    var names: Set<String> = []
    if let twice = fixed.first(where: { !names.insert($0.name).inserted }) {
      throw ValidationError("--set gives the input \(twice.name) twice")
    }
  }

  var readOptions: ReadOptions {
    var options = ReadOptions()
    options.architecture = architecture
    options.kerasVersion = kerasVersion
    options.kerasBackend = kerasBackend
    options.inputShapes = inputShape.map(\.shape)
    options.customLayers = customLayers
    options.keepsUnknown = keepUnknown
    options.startsAtTokens = startsAtTokens
    options.weights = weights
    options.darknetFork = darknet?.value
    options.darknetData = data
    options.randomSeed = randomWeights
    options.isStrict = strict
    options.fixedInputs = Dictionary(
      fixed.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
    return options
  }
}
