package import Bytes
public import DarknetFormat

/// What a user specifies about a source in addition to the source itself.
public struct ReadOptions: Sendable {
  /// A file with the architecture (the output of `to_json` or `to_yaml`, or an `.h5` or `.keras` of
  /// the same network), for Keras files that contain only weights. By default it is searched for in
  /// the file's folder.
  public var architecture: String?
  /// The version of Keras whose semantics apply, such as `2.1.5`, instead of the one in the file.
  public var kerasVersion: String?
  /// The backend that Keras ran on, such as `tensorflow`, instead of the one in the file.
  public var kerasBackend: String?
  /// The shapes of a Keras model's inputs, if its file leaves them or some of their sizes open.
  public var inputShapes: [InputShape] = []
  /// A file that describes custom Keras layers (`Schemas/custom-layers.schema.json`).
  public var customLayers: String?
  /// Whether a Keras model that tokenizes strings (`TextVectorization`, `StringLookup`) is read
  /// without that part: the token ids become its input.
  public var startsAtTokens = false
  /// Whether unknown layers are kept without being understood; the model then cannot run.
  public var keepsUnknown = false
  /// The weights of a darknet `.cfg`; by default its sibling with `.weights` in place of `.cfg`.
  public var weights: String?
  /// The fork of darknet that a `.cfg` is for; by default inferred from the file.
  public var darknetFork: DarknetFork?
  /// A darknet `.data` file, which names the file with the labels.
  public var darknetData: String?
  /// Whether labels are searched for in the folder of a darknet `.cfg`; not needed when a
  /// ``DescriptionEdit`` supplies them.
  public var findsLabels = true
  /// The seed for generating random weights for a `.cfg`; a seed always gives the same weights.
  public var randomSeed: UInt64?
  /// Inputs of an ONNX model that are fixed to one number, such as a sample rate if the file has a
  /// network for each: the model is read for this number, and the inputs are removed.
  public var fixedInputs: [String: InputNumber] = [:]
  /// Whether something that darknet silently ignores, or that a file of Keras does not say and is
  /// presumed, is an error.
  public var isStrict = false
  /// Whether the model will be written; if so, another thread computes the digests of its sources
  /// from the start.
  public var preparesWriting = false

  /// Options that are allowed although they do not apply to the file, because they are meant for
  /// another file too.
  package var tolerated: Set<APIName> = []
  /// The maximum number of elements of a weight when only the architecture is read, because the
  /// weights come from another file, under the names in the graph. `nil` when weights are read.
  package var deferredWeightLimit: Int?

  /// Creates options with the defaults.
  public init() {}

  /// The names of the options that are given.
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
