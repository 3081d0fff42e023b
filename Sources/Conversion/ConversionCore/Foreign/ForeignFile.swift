package import Bytes

/// A kind of file that a user may mistake for a model, with advice on what to do.
package struct ForeignFile: Sendable {
  /// What the file is and what to do, phrased to follow its name; `nil` when it is something else.
  package let explanation: @Sendable (FileSample) -> String?

  /// - Parameter explanation: What the file is and what to do; `nil` when it is something else.
  package init(_ explanation: @escaping @Sendable (FileSample) -> String?) {
    self.explanation = explanation
  }

  /// Recognizes files that begin with certain bytes.
  package init(_ bytes: [UInt8], at offset: Int = 0, _ explanation: String) {
    self.init { $0.begins(bytes, at: offset) ? explanation : nil }
  }

  /// Recognizes files that begin with a certain string.
  package init(_ text: String, at offset: Int = 0, _ explanation: String) {
    self.init(Array(text.utf8), at: offset, explanation)
  }

  /// The kinds that are identified with certainty, none of which can be read.
  private static let certain = damaged + frameworks + archives + imagesAndDocuments + jsonFiles

  /// The kinds that are considered only for a file in no readable format.
  private static let likely = protobufFiles + textFiles

  /// Refuses a file that the user gave as a model, an architecture or weights, if it is empty or
  /// something else.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when it is certainly something else, with what
  ///   it is; ``WeighbridgeError/Code/malformed`` when it is empty.
  package static func refuse(_ store: ByteStore, path: String) throws(WeighbridgeError) {
    guard store.count > 0 else {
      throw .malformed("is empty: it was not copied or downloaded as a whole; get it again")
        .at(file: path)
    }
    let sample = FileSample(store, path: path)
    for kind in certain {
      guard let text = kind.explanation(sample) else { continue }
      throw .unsupported(text).at(file: path)
    }
  }

  /// Returns the error for a file in no readable format.
  package static func unknown(_ store: ByteStore, path: String) -> WeighbridgeError {
    let sample = FileSample(store, path: path)
    let text = likely.lazy.compactMap { $0.explanation(sample) }.first
    return .unsupported(
      text ?? "is not a model in a format that can be read: \(readableFormats)"
        + weightsHint(path)
    ).at(file: path)
  }

  /// A hint for a file that is named like darknet's weights.
  private static func weightsHint(_ path: String) -> String {
    guard FilePath(path).isNamedLikeDarknetWeights else { return "" }
    return
      "; its name is that of darknet's weights, but it does not begin as they do, or was cut off "
      + "within a number"
  }

  package static let readableFormats =
    "Keras .h5, .keras and .weights.h5, SavedModel folders, checkpoints and frozen graphs of "
    + "TensorFlow, TensorFlow.js, darknet .cfg with .weights, ONNX, Core ML .mlmodel, TFLite, "
    + "safetensors, .npz, state dictionaries of PyTorch and .wbm"
}
