package import ArrayConversion
package import Bytes
package import ConversionCore
package import CoreMLConversion
import CoreMLFormat
package import DarknetConversion
import DarknetFormat
package import GraphIR
package import KerasConversion
import KerasFormat
package import ONNXConversion
import ONNXFormat
package import WBMConversion
import WBMFormat

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
  package var kind: SourceFormat {
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

  static func kind(
    _ store: ByteStore, _ path: String
  ) throws(WeighbridgeError) -> SourceFormat {
    let kind = store.withBytes { bytes -> SourceFormat? in
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
