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
      "Interpret the model as this version of Keras does, whatever version the file names.",
      valueName: "version"))
  var kerasVersion: String?

  @Option(
    help: ArgumentHelp(
      "The back end that Keras ran on, in place of the file's own.", valueName: "name"))
  var kerasBackend: String?

  @Option(
    help: ArgumentHelp(
      """
      The shape of a Keras model's input without the batch axis, if the file does not state all of \
      it: 8, or 28,28,1, or None,3 for any length; NAME=28,28,1 if there are several inputs. May \
      be repeated. It must agree with what the file states.
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
      Leave out the text lookup of a Keras model (TextVectorization, StringLookup): its input is \
      then the token IDs. For example: convert --from-token-ids reviews.keras
      """)
  var startsAtTokens = false

  @Flag(help: "Keep unknown layers as they are; the model then cannot run.")
  var keepUnknown = false

  @Option(
    help: ArgumentHelp(
      "The weights of a darknet .cfg; by default the same name with .weights.",
      valueName: "file"))
  var weights: String?

  @Option(
    help: ArgumentHelp(
      """
      The darknet fork that a .cfg is for: alexeyab or pjreddie. By default pjreddie if the .cfg \
      uses something that only pjreddie's knows and nothing that only AlexeyAB's knows; else \
      alexeyab.
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
      Fix an input of an ONNX model that is a single number, for example --set sr=16000. It is \
      then a constant, and conditions on it are resolved. May be given for several inputs.
      """, valueName: "input=number"))
  var fixed: [FixedInputArgument] = []

  @Flag(
    help: ArgumentHelp(
      """
      Make anything that darknet silently ignores, or that a file of Keras does not say and is \
      presumed, an error.
      """))
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
