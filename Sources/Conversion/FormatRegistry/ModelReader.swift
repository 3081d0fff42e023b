package import ArrayConversion
package import Bytes
package import ConversionCore
import CoreMLConversion
import DarknetConversion
package import GraphIR
import KerasConversion
import ONNXConversion
import TFLiteConversion
import TensorFlowConversion
import WBMConversion

/// A model and the files it was read from.
package struct ReadModel: Sendable {
  /// The files.
  package let source: any ModelSource
  /// The model.
  package let content: ModelContent

  /// Whether the file format has fields for metadata such as author and license.
  package var holdsMetadata: Bool {
    switch source {
    case is KerasSource, is DarknetSource, is TensorFlowSource: false
    case let weights as WeightSource: weights.holdsMetadata
    default: true
    }
  }

  init(
    _ format: any ModelSource.Type, _ store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    do throws(WeighbridgeError) {
      var source: any ModelSource = try format.init(reading: store, path: path, options: options)
      content = try source.content()
      self.source = source
    } catch {
      guard error.code == .unsupported, format == KerasSource.self,
        TensorFlowSource.isSavedModel(store),
        (try? options.check(for: TensorFlowSource.self)) != nil
      else { throw error }
      (source, content) = try Self.operators(store, path: path, options, insteadOf: error)
    }
  }

  /// Reads the operators of a SavedModel whose layers cannot be read.
  private static func operators(
    _ store: ByteStore, path: String, _ options: ReadOptions, insteadOf refusal: WeighbridgeError
  ) throws(WeighbridgeError) -> (any ModelSource, ModelContent) {
    do throws(WeighbridgeError) {
      let source = try TensorFlowSource(store, path: path, options: options)
      var content = try source.content()
      let reason = refusal.reason.prefix { $0 != "\n" }
      content.provenance.decisions.insert(
        .init(
          layer: "",
          text: "the operators of the SavedModel are read, since its layers cannot be: \(reason)"),
        at: 0)
      return (source, content)
    } catch {
      throw WeighbridgeError(
        refusal.code,
        "\(refusal.reason)\n(its operators cannot be read in place of the layers: \(error.reason))",
        place: refusal.place)
    }
  }
}

/// Reads models of every format, which is recognized by the content, not by the file's name.
package enum ModelReader {
  /// The formats, in the order in which they are tried; the order matters because both `.npz` and
  /// `.keras` files are ZIP archives.
  package static let formats: [any ModelSource.Type] = [
    WBMModelSource.self, TFLiteSource.self, WeightSource.self, TensorFlowSource.self,
    KerasSource.self, DarknetSource.self, CoreMLSource.self, ONNXSource.self,
  ]

  /// The format that the first bytes of a file indicate; `nil` for none.
  static func format(of store: ByteStore) -> (any ModelSource.Type)? {
    store.withBytes { bytes in formats.first { $0.recognizes(bytes) } }
  }

  /// Reads a model.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing``, ``WeighbridgeError/Code/malformed``,
  ///   ``WeighbridgeError/Code/unsupported``, ``WeighbridgeError/Code/limitExceeded``.
  package static func read(
    _ path: String, options: ReadOptions = ReadOptions()
  ) throws(WeighbridgeError) -> ReadModel {
    let location = try ModelLocation(path)
    let store = try SourceFile.open(location.file)
    store.advise(.random)  // recognizing the format and reading a header must not read ahead
    defer { store.advise(.sequential) }
    guard let format = format(of: store) else {
      throw store.withBytes({ DarknetWeightsAlone.recognizes($0) })
        ? DarknetMissingFile(options).configuration(of: path, store)
        : ForeignFile.unknown(store, path: path)
    }
    try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try options.check(for: format)
      guard location.package == nil || format == CoreMLSource.self else {
        throw .malformed(
          "is a Core ML package whose model is of another format; "
            + "expected a .mlmodel in it")
      }
    }
    return try ReadModel(format, store, path: location.path, options: options)
  }

  /// Reads a file that has only weights; `nil` if the file at the path is not one.
  ///
  /// - Throws: What ``read(_:options:)`` throws.
  package static func weightFile(_ path: String) throws(WeighbridgeError) -> WeightFile? {
    let location = try ModelLocation(path)
    guard location.package == nil else { return nil }
    let store = try SourceFile.open(location.file)
    guard store.withBytes({ WeightFile.recognizes($0) }) else { return nil }
    return try WeightFile(store, path: path)
  }
}
