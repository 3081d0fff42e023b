package import Bytes
import CoreMLFormat
public import DarknetFormat
package import GraphIR
import KerasFormat
import ONNXFormat
import WBMFormat

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
  package var tolerated: Set<ReadOption> = []
  /// The most elements of a weight where only the architecture is read, because another file has the
  /// weights by the graph's names.
  var laterWeightLimit: Int?

  /// Nothing is said.
  public init() {}
}

/// A model as it was read, and the file it was read from.
package enum ReadModel: Sendable {
  case wbm(WBMModel)
  case keras(KerasSource, ModelContent)
  case darknet(DarknetSource, ModelContent)
  case coreml(CoreMLSource, ModelContent)
  case weights(WeightSource, ModelContent)
  case onnx(ONNXSource, ModelContent)

  /// The model.
  package var content: ModelContent {
    switch self {
    case .wbm(let model): model.content
    case .keras(_, let content), .darknet(_, let content), .coreml(_, let content),
      .onnx(_, let content), .weights(_, let content):
      content
    }
  }

  /// The size of the file in bytes; of Keras and darknet models, that of the file with the weights.
  package var byteCount: Int {
    switch self {
    case .wbm(let model): model.file.store.count
    case .keras(let source, _): source.files[0].store.count
    case .coreml(let source, _): source.files[0].store.count
    case .onnx(let source, _): source.files[0].store.count
    case .darknet(let source, _):
      (source.files.first { $0.role == "weights" } ?? source.files[0]).store.count
    case .weights(let source, _): source.files[0].store.count
    }
  }

  /// The files that the model was made of; none for `.wbm`, which says itself what it was made of.
  package var sources: [SourceFile] {
    switch self {
    case .wbm: []
    case .keras(let source, _): source.files
    case .darknet(let source, _): source.files
    case .coreml(let source, _): source.files
    case .onnx(let source, _): source.files
    case .weights(let source, _): source.files
    }
  }

  /// The name of the file's format.
  package var formatName: String {
    switch self {
    case .wbm(let model): "wbm \(model.file.version)"
    case .keras(let source, _): source.formatName
    case .darknet: "darknet"
    case .coreml: "coreml"
    case .weights(let source, _): source.format.rawValue
    case .onnx(let source, _): "onnx opset \(source.opset)"
    }
  }
}

extension ReadModel {
  /// The file's format.
  package var kind: ModelReader.Kind {
    switch self {
    case .wbm: .wbm
    case .keras: .keras
    case .darknet: .darknet
    case .coreml: .coreml
    case .weights: .weights
    case .onnx: .onnx
    }
  }
}

/// Reads models of every format; told from the content, whatever the file is called.
package enum ModelReader {
  /// Reads a model.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing``, ``WeighbridgeError/Code/malformed``,
  ///   ``WeighbridgeError/Code/unsupported``, ``WeighbridgeError/Code/limitExceeded``.
  package static func read(
    _ path: String, options: ReadOptions = ReadOptions()
  ) throws(WeighbridgeError) -> ReadModel {
    let package = try CoreMLPackage(at: path)
    let store = try SourceFile.open(package?.model ?? path)
    store.expect(.sparse)  // to look at the start and a header must not read the weights too
    defer { store.expect(.sequential) }
    let kind = try kind(store, path)
    try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try options.check(for: kind)
    }
    guard package == nil || kind == .coreml else {
      throw WeighbridgeError(.malformed, "is a Core ML package whose model is of another format")
        .at(file: path)
    }
    switch kind {
    case .wbm:
      return .wbm(try WBMModel(store, path: path))
    case .keras:
      store.expect(.sequential)
      let source = try KerasSource(store, path: path, options: options)
      return .keras(source, try source.content())
    case .darknet:
      var source = try DarknetSource(store, path: path, options: options)
      let content = try source.content()
      return .darknet(source, content)
    case .darknetWeights:
      throw DarknetMissingFile(options).configuration(of: path, store)
    case .coreml:
      let source = try CoreMLSource(
        store, path: package?.model ?? path, package: package, options: options)
      return .coreml(source, try source.content())
    case .weights:
      let source = try WeightSource(store, path: path, options: options)
      return .weights(source, try source.content())
    case .onnx:
      var source = try ONNXSource(store, path: path, options: options)
      let content = try source.content()
      return .onnx(source, content)
    }
  }

  /// A file with weights and nothing else, when a path leads to one.
  ///
  /// - Throws: As ``read(_:options:)``.
  package static func weightFile(_ path: String) throws(WeighbridgeError) -> WeightFile? {
    if try CoreMLPackage(at: path) != nil { return nil }
    let store = try SourceFile.open(path)
    guard store.withBytes({ WeightFile.recognizes($0) }) else { return nil }
    return try WeightFile(store, path: path)
  }

  /// A format of models.
  package enum Kind { case wbm, keras, darknet, darknetWeights, coreml, onnx, weights }

  static func kind(
    _ store: ByteStore, _ path: String
  ) throws(WeighbridgeError) -> Kind {
    let kind = store.withBytes { bytes -> Kind? in
      if WBMFile.recognizes(bytes) { return .wbm }
      // Before Keras: an .npz is an archive as a .keras is.
      if WeightFile.recognizes(bytes) { return .weights }
      if KerasFile.recognizes(bytes) { return .keras }
      if DarknetConfiguration.recognizes(bytes) { return .darknet }
      if CoreMLReader.recognizes(bytes) { return .coreml }
      if ONNXFile.recognizes(bytes) { return .onnx }
      return DarknetWeightsHeader.recognizes(bytes) ? .darknetWeights : nil
    }
    guard let kind else { throw ForeignFile.unknown(store, path: path) }
    return kind
  }
}
