package import Bytes
package import GraphIR

/// A model in the files of one format, opened but not yet imported. Each format that can be read is
/// a conforming type and an entry in the list of formats.
package protocol ModelSource: Sendable {
  /// A file of the format, as a phrase with its article: `a Keras file`.
  static var format: String { get }
  /// The options that apply to the format; others are refused.
  static var options: Set<APIName> { get }
  /// Whether a file begins like a file of the format.
  static func recognizes(_ bytes: RawSpan) -> Bool

  /// Opens a file and the others that its model consists of.
  ///
  /// - Parameters:
  ///   - store: The file, or the file with the model if `path` is a folder.
  ///   - path: The path that the user gave.
  /// - Throws: What is wrong with the files or the options.
  init(reading store: ByteStore, path: String, options: ReadOptions) throws(WeighbridgeError)

  /// The files that were read, by role; none for `.wbm`, which records its own sources.
  var files: [SourceFile] { get }
  /// The size in bytes of the file that contains the weights.
  var byteCount: Int { get }
  /// The name of the format, with its version if it has one: `keras hdf5`, `onnx opset 17`.
  var formatName: String { get }

  /// Imports the model.
  ///
  /// - Throws: What is wrong with the model, and where.
  mutating func content() throws(WeighbridgeError) -> ModelContent

  /// What can be shown of a file that cannot be imported; `nil` when there is nothing.
  static func outline(
    of store: ByteStore, path: String, options: ReadOptions
  ) -> ModelOutline?
}

extension ModelSource {
  /// The size in bytes of the file that the user gave.
  package var byteCount: Int { files[0].store.count }
}

extension ReadOptions {
  /// Refuses options that do not apply to the files that are read with them.
  ///
  /// - Parameter formats: The files' formats; an option of one of them is not refused.
  /// - Throws: ``WeighbridgeError/Code/mismatch``, which names every such option.
  package func check(for formats: any ModelSource.Type...) throws(WeighbridgeError) {
    let applicable = formats.reduce(into: tolerated) { $0.formUnion($1.options) }
    let inapplicable = given.filter { !applicable.contains($0) }.map(\.description)
    guard let last = inapplicable.last else { return }
    let first = inapplicable.dropLast().joined(separator: ", ")
    let names = first.isEmpty ? "\(last) does" : "\(first) and \(last) do"
    let files = formats.map { $0.format }.joined(separator: " and ")
    throw .mismatch("\(formats.count == 1 ? "is" : "the models are") \(files): \(names) not apply")
  }

  /// Whether the file is read without an architecture or input shapes from elsewhere.
  package var readsFileOnly: Bool { architecture == nil && inputShapes.isEmpty }
}
