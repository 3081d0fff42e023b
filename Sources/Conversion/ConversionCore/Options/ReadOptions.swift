// Generated from Schemas/options.json by Scripts/options. Do not edit.

package import Bytes
public import DarknetFormat

/// What a source file does not say itself. An option that does not apply to the file is an error.
public struct ReadOptions: Sendable {
  /// The architecture of a Keras file with weights only: a to_json or to_yaml file, or an .h5 or
  /// .keras of the same network; by default the one beside it, called model.json, NAME.json,
  /// NAME_architecture.json or config.json (or .yaml). Of a .safetensors, .npz or PyTorch file: one
  /// of these, a .cfg, an ONNX model or a .wbm.
  public var architecture: String?
  /// The version of Keras as which the model is interpreted, such as 2.1.5, whatever version the
  /// file names.
  public var kerasVersion: String?
  /// The backend that Keras ran on, such as tensorflow, in place of the file's own.
  public var kerasBackend: String?
  /// The shapes of a model's inputs, where the file leaves sizes open: in Keras without the batch
  /// axis, 8, or 28,28,1, or None,3 for any length; in ONNX with all axes, 1,3,640,640;
  /// NAME=28,28,1 if there are several inputs. They must agree with what the file states.
  public var inputShapes: [InputShape] = []
  /// A file that says what Lambda and custom layers compute (Schemas/custom-layers.schema.json).
  public var customLayers: String?
  /// The weights of a darknet .cfg; by default the same name with .weights.
  public var weights: String?
  /// The darknet fork that a .cfg is for: alexeyab or pjreddie. By default pjreddie if the .cfg
  /// uses something that only pjreddie's knows and nothing that only AlexeyAB's knows; else
  /// alexeyab.
  public var darknet: DarknetFork?
  /// A darknet .data file, for the labels; by default a .names file that fits, beside the .cfg.
  public var data: String?
  /// The seed from which the weights of a darknet .cfg are generated; a seed always gives the same
  /// weights.
  public var randomWeights: UInt64?
  /// Inputs of an ONNX model that are fixed, each at a number (sr=16000), a list (shape=[1,3,8]) or
  /// the array in a NumPy file (w=@w.npy). They are then constants, and conditions on them are
  /// resolved.
  public var fixedInputs: [String: InputValue] = [:]
  /// Whether to leave out the text lookup of a Keras model (TextVectorization, StringLookup): its
  /// input is then the token IDs.
  public var fromTokenIDs = false
  /// Whether to keep unknown layers as they are; the model then cannot run.
  public var keepUnknown = false
  /// Whether to make anything that darknet silently ignores, or that a file of Keras does not say
  /// and is presumed, an error.
  public var strict = false
  /// A JSON object with the names of tensors of a PyTorch or .safetensors file, and for each that
  /// of the architecture's weight, where they cannot be inferred from the names or the order.
  public var weightNames: String?
  /// Whether to search for labels in the folder of a darknet .cfg; not needed when a
  /// DescriptionEdit supplies them.
  public var findsLabels = true
  /// Whether to compute the digests of the sources on another thread from the start, because the
  /// model will be written.
  public var preparesWriting = false
  /// Options that are allowed although they do not apply to the file, because they are meant for
  /// another file too.
  package var tolerated: Set<APIName> = []
  /// The maximum number of elements of a weight when only the architecture is read, because the
  /// weights come from another file, under the names in the graph; nil when weights are read.
  package var deferredWeightLimit: Int?

  /// Creates options with the defaults.
  public init() {}

  /// The names of the options that are given.
  package var given: [APIName] {
    let options: [(name: APIName, isGiven: Bool)] = [
      (.architecture, architecture != nil), (.kerasVersion, kerasVersion != nil),
      (.kerasBackend, kerasBackend != nil), (.inputShapes, !inputShapes.isEmpty),
      (.customLayers, customLayers != nil), (.weights, weights != nil), (.darknet, darknet != nil),
      (.data, data != nil), (.randomWeights, randomWeights != nil),
      (.fixedInputs, !fixedInputs.isEmpty), (.fromTokenIDs, fromTokenIDs),
      (.keepUnknown, keepUnknown), (.strict, strict), (.weightNames, weightNames != nil),
    ]
    return options.filter(\.isGiven).map(\.name)
  }
}

/// What applies to each format.
extension Set<APIName> {
  /// The options for reading that apply to the format.
  package static let kerasOptions: Set<APIName> = [
    .architecture, .kerasVersion, .kerasBackend, .inputShapes, .customLayers, .fromTokenIDs,
    .keepUnknown, .strict,
  ]

  /// The options for reading that apply to the format.
  package static let darknetOptions: Set<APIName> = [
    .weights, .darknet, .data, .randomWeights, .strict,
  ]

  /// The options for reading that apply to the format.
  package static let onnxOptions: Set<APIName> = [.inputShapes, .fixedInputs]

  /// The options for reading that apply to the format.
  package static let coreMLOptions: Set<APIName> = [.customLayers, .keepUnknown]
}

/// The names of version 0.2.
extension ReadOptions {
  /// The former name of ``darknet``.
  @available(*, deprecated, renamed: "darknet")
  public var darknetFork: DarknetFork? {
    get { darknet }
    set { darknet = newValue }
  }

  /// The former name of ``data``.
  @available(*, deprecated, renamed: "data")
  public var darknetData: String? {
    get { data }
    set { data = newValue }
  }

  /// The former name of ``randomWeights``.
  @available(*, deprecated, renamed: "randomWeights")
  public var randomSeed: UInt64? {
    get { randomWeights }
    set { randomWeights = newValue }
  }

  /// The former name of ``fromTokenIDs``.
  @available(*, deprecated, renamed: "fromTokenIDs")
  public var startsAtTokens: Bool {
    get { fromTokenIDs }
    set { fromTokenIDs = newValue }
  }

  /// The former name of ``keepUnknown``.
  @available(*, deprecated, renamed: "keepUnknown")
  public var keepsUnknown: Bool {
    get { keepUnknown }
    set { keepUnknown = newValue }
  }

  /// The former name of ``strict``.
  @available(*, deprecated, renamed: "strict")
  public var isStrict: Bool {
    get { strict }
    set { strict = newValue }
  }
}
