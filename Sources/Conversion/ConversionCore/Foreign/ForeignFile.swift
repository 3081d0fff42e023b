package import Bytes

/// A kind of file that its owner may take for a model, and what to do with it.
package struct ForeignFile: Sendable {
  /// What the file is and what to do, to stand behind its name; `nil` when it is something else.
  package let explanation: @Sendable (FileSample) -> String?

  /// - Parameter explanation: What the file is and what to do; `nil` when it is something else.
  package init(_ explanation: @escaping @Sendable (FileSample) -> String?) {
    self.explanation = explanation
  }

  /// Files that begin with certain bytes.
  package init(_ bytes: [UInt8], at offset: Int = 0, _ explanation: String) {
    self.init { $0.begins(bytes, at: offset) ? explanation : nil }
  }

  /// Files that begin with a certain text.
  package init(_ text: String, at offset: Int = 0, _ explanation: String) {
    self.init(Array(text.utf8), at: offset, explanation)
  }

  /// Those that cannot be mistaken: none of them is a model that can be read.
  private static let certain = damaged + frameworks + archives + others + documents

  /// Those that only a file can be that is of no format that is read.
  private static let likely = protobufs + texts

  /// Opens a file that a user names as a model, an architecture or weights.
  ///
  /// - Throws: As `MappedFile`; ``WeighbridgeError/Code/unsupported`` with what the file is, when it
  ///   certainly is something else; ``WeighbridgeError/Code/malformed`` when it is empty.
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

  /// Says what a file is that is of no format that can be read.
  package static func unknown(_ store: ByteStore, path: String) -> WeighbridgeError {
    let sample = FileSample(store, path: path)
    let text = likely.lazy.compactMap { $0.explanation(sample) }.first
    return .unsupported(
      text ?? "is not a model in a format that can be read: \(readableFormats)"
        + weightsHint(path)
    ).at(file: path)
  }

  /// What to say of a file that is called as darknet's weights are.
  private static func weightsHint(_ path: String) -> String {
    guard FilePath(path).isNamedAsWeights else { return "" }
    return
      "; its name is that of darknet's weights, but it does not begin as they do, or was cut off "
      + "within a number"
  }

  package static let readableFormats =
    "Keras .h5, .keras and .weights.h5, darknet .cfg with .weights, ONNX, Core ML .mlmodel, "
    + "safetensors, .npz and .wbm"
}
