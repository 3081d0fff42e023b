package import Bytes
public import DarknetFormat

/// What a user says of a source that the source does not say itself.
public struct ReadOptions: Sendable {
  /// A file with the architecture (a `to_json` or `to_yaml` text, or an `.h5` or `.keras` of the same
  /// network), for Keras files that have weights only. By default it is looked for beside the file.
  public var architecture: String?
  /// The version of Keras whose meaning applies, such as `2.1.5`, in place of the file's own.
  public var kerasVersion: String?
  /// The back end that Keras ran on, such as `tensorflow`, in place of the file's own.
  public var kerasBackend: String?
  /// The shapes of a Keras model's inputs, where its file leaves them or some of their sizes open.
  public var inputShapes: [InputShape] = []
  /// A file that says what layers are that are not Keras' own (`Schemas/custom-layers.schema.json`).
  public var customLayers: String?
  /// Whether a Keras model that splits texts and looks them up (`TextVectorization`, `StringLookup`) is
  /// read from the token ids on, which become its input.
  public var startsAtTokens = false
  /// Whether layers that are not known are kept as they are; the model then cannot run.
  public var keepsUnknown = false
  /// The weights of a darknet `.cfg`; by default the file beside it with `.weights` for `.cfg`.
  public var weights: String?
  /// Whose darknet a `.cfg` is for; by default told from the file.
  public var darknetFork: DarknetFork?
  /// A darknet `.data` file, which names the file with the labels.
  public var darknetData: String?
  /// Whether labels are looked for beside a darknet `.cfg`; not needed when a ``DescriptionEdit`` will
  /// say them.
  public var findsLabels = true
  /// Makes up the weights of a `.cfg`: the same for each seed.
  public var randomSeed: UInt64?
  /// Inputs of an ONNX model that are always one number, such as the rate of sound that a file has a
  /// network for each of: the model is read for this number, and they are no inputs of it any more.
  public var fixedInputs: [String: InputNumber] = [:]
  /// Whether what darknet passes over in silence is an error.
  public var isStrict = false
  /// Whether the model will be written: the digests of its sources are then computed by another
  /// thread from the start.
  public var preparesWriting = false

  /// What may be said although the file does not take it, because it is said for another file too.
  package var tolerated: Set<APIName> = []
  /// The most elements of a weight where only the architecture is read, because another file has the
  /// weights by the graph's names.
  package var laterWeightLimit: Int?

  /// Nothing is said.
  public init() {}

  /// The options that are given, by their names.
  package var given: [APIName] {
    let options: [(name: APIName, isGiven: Bool)] = [
      (.architecture, architecture != nil), (.kerasVersion, kerasVersion != nil),
      (.kerasBackend, kerasBackend != nil), (.inputShapes, !inputShapes.isEmpty),
      (.startsAtTokens, startsAtTokens), (.customLayers, customLayers != nil),
      (.keepsUnknown, keepsUnknown), (.weights, weights != nil),
      (.darknetFork, darknetFork != nil), (.darknetData, darknetData != nil),
      (.randomSeed, randomSeed != nil), (.fixedInputs, !fixedInputs.isEmpty),
      (.isStrict, isStrict),
    ]
    return options.filter(\.isGiven).map(\.name)
  }
}
