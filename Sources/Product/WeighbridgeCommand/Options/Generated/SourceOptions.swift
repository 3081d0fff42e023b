// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser
import Weighbridge

/// Settings that a source file does not contain.
struct SourceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The architecture of a Keras file with weights only: a to_json or to_yaml file, or an .h5 or \
      .keras of the same network; by default the one beside it, called model.json, NAME.json, \
      NAME_architecture.json or config.json (or .yaml). Of a .safetensors, .npz or PyTorch file: \
      one of these, a .cfg, an ONNX model or a .wbm.
      """, valueName: "file"))
  var architecture: String?

  @Option(
    help: ArgumentHelp(
      """
      The version of Keras as which the model is interpreted, such as 2.1.5, whatever version the \
      file names.
      """, valueName: "version"))
  var kerasVersion: String?

  @Option(
    help: ArgumentHelp(
      "The backend that Keras ran on, such as tensorflow, in place of the file's own.",
      valueName: "name"))
  var kerasBackend: String?

  @Option(
    name: .customLong("input-shape"),
    help: ArgumentHelp(
      """
      The shapes of a model's inputs, where the file leaves sizes open: in Keras without the \
      batch axis, 8, or 28,28,1, or None,3 for any length; in ONNX with all axes, 1,3,640,640; \
      NAME=28,28,1 if there are several inputs. They must agree with what the file states. May be \
      given several times.
      """, valueName: "name=shape"))
  var inputShapes: [InputShapeArgument] = []

  @Option(
    help: ArgumentHelp(
      """
      A file that says what Lambda and custom layers compute (Schemas/custom-layers.schema.json).
      """, valueName: "file.json"))
  var customLayers: String?

  @Option(
    help: ArgumentHelp(
      "The weights of a darknet .cfg; by default the same name with .weights.", valueName: "file"))
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
      """
      A darknet .data file, for the labels; by default a .names file that fits, beside the .cfg.
      """, valueName: "file.data"))
  var data: String?

  @Option(
    help: ArgumentHelp(
      """
      The seed from which the weights of a darknet .cfg are generated; a seed always gives the \
      same weights.
      """, valueName: "seed"))
  var randomWeights: UInt64?

  @Option(
    name: .customLong("fixed-input"),
    help: ArgumentHelp(
      """
      Inputs of an ONNX model that are fixed, each at a number (sr=16000), a list (shape=[1,3,8]) \
      or the array in a NumPy file (w=@w.npy). They are then constants, and conditions on them \
      are resolved. May be given several times.
      """, valueName: "input=value"))
  var fixedInputs: [FixedInputArgument] = []

  @Option(name: .customLong("set"), help: .hidden)
  var formerFixedInputs: [FixedInputArgument] = []

  @Flag(
    name: .customLong("from-token-ids"),
    help: """
      Leave out the text lookup of a Keras model (TextVectorization, StringLookup): its input is \
      then the token IDs.
      """)
  var fromTokenIDs = false

  @Flag(
    help: "Keep unknown layers as they are; the model then cannot run.")
  var keepUnknown = false

  @Flag(
    help: """
      Make anything that darknet silently ignores, or that a file of Keras does not say and is \
      presumed, an error.
      """)
  var strict = false

  @Option(
    help: ArgumentHelp(
      """
      A JSON object with the names of tensors of a PyTorch or .safetensors file, and for each \
      that of the architecture's weight, where they cannot be inferred from the names or the \
      order.
      """, valueName: "file.json"))
  var weightNames: String?

  func validate() throws {
    var names: Set<String> = []
    if let twice = (fixedInputs + formerFixedInputs).first(where: {
      !names.insert($0.name).inserted
    }) {
      throw ValidationError("--fixed-input gives the input \(twice.name) twice")
    }
  }

  /// The options that are given, and the defaults of the others.
  var readOptions: ReadOptions {
    var options = ReadOptions()
    options.architecture = architecture
    options.kerasVersion = kerasVersion
    options.kerasBackend = kerasBackend
    options.inputShapes = inputShapes.map(\.shape)
    options.customLayers = customLayers
    options.weights = weights
    options.darknet = darknet?.value
    options.data = data
    options.randomWeights = randomWeights
    options.fixedInputs = Dictionary(
      (fixedInputs + formerFixedInputs).map { ($0.name, $0.value) },
      uniquingKeysWith: { first, _ in first })
    options.fromTokenIDs = fromTokenIDs
    options.keepUnknown = keepUnknown
    options.strict = strict
    options.weightNames = weightNames
    return options
  }
}
