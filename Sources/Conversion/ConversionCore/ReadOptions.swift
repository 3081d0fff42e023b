package import Bytes
public import DarknetFormat

/// What a user says about a source beyond what the source itself says.
public struct ReadOptions: Sendable {
  /// A file with the architecture (the output of `to_json` or `to_yaml`, or an `.h5` or `.keras` of
  /// the same network), for Keras files that have only weights. By default it is looked for next to
  /// the file.
  public var architecture: String?
  /// The version of Keras whose semantics apply, such as `2.1.5`, in place of the file's own.
  public var kerasVersion: String?
  /// The backend that Keras ran on, such as `tensorflow`, in place of the file's own.
  public var kerasBackend: String?
  /// The shapes of a Keras model's inputs, where its file leaves them or some of their sizes open.
  public var inputShapes: [InputShape] = []
  /// A file that describes custom Keras layers (`Schemas/custom-layers.schema.json`).
  public var customLayers: String?
  /// Whether a Keras model that splits strings and looks them up (`TextVectorization`,
  /// `StringLookup`) is read from the token ids on, which become its input.
  public var startsAtTokens = false
  /// Whether unknown layers are kept as they are; the model then cannot run.
  public var keepsUnknown = false
  /// The weights of a darknet `.cfg`; by default the file next to it with `.weights` in place of
  /// `.cfg`.
  public var weights: String?
  /// The fork of darknet that a `.cfg` is for; by default inferred from the file.
  public var darknetFork: DarknetFork?
  /// A darknet `.data` file, which names the file with the labels.
  public var darknetData: String?
  /// Whether labels are looked for next to a darknet `.cfg`; not needed when a ``DescriptionEdit``
  /// supplies them.
  public var findsLabels = true
  /// A seed from which the weights of a `.cfg` are generated, always the same for the same seed.
  public var randomSeed: UInt64?
  /// Inputs of an ONNX model that are fixed to one number, such as a sample rate for each value of
  /// which the file has a network: the model is read for this number, and they are no longer
  /// inputs.
  public var fixedInputs: [String: InputNumber] = [:]
  /// Whether something that darknet silently ignores is an error.
  public var isStrict = false
  /// Whether the model will be written: the digests of its sources are then computed by another
  /// thread from the start.
  public var preparesWriting = false

  /// Options that are allowed although the file does not take them, because they are also meant for
  /// another file.
  package var tolerated: Set<APIName> = []
  /// The largest number of a weight's elements where only the architecture is read, because another
  /// file has the weights under the graph's names.
  package var laterWeightLimit: Int?

  /// Makes options with the defaults.
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
