package import Bytes
package import GraphIR

/// A model in the files of one format, opened but not yet imported. Each format that can be read is
/// a conforming type and an entry in the list of formats.
package protocol ModelSource: Sendable {
  /// What a file of the format is, with its article, for example `a Keras file`.
  static var format: String { get }
  /// The options that apply to a model of the format; others are refused.
  static var options: Set<APIName> { get }
  /// Whether a file begins like one of the format.
  static func recognizes(_ bytes: RawSpan) -> Bool

  /// Opens a file and the others that its model consists of.
  ///
  /// - Parameters:
  ///   - store: The file, or the one that contains the model where `path` is a folder.
  ///   - path: What the user named.
  /// - Throws: What is wrong with the files or the options.
  init(reading store: ByteStore, path: String, options: ReadOptions) throws(WeighbridgeError)

  /// The files that were read, by role; none for `.wbm`, which records its own sources.
  var files: [SourceFile] { get }
  /// The size in bytes of the file with the weights.
  var byteCount: Int { get }
  /// The name of the format, with its version where it has one: `keras hdf5`, `onnx opset 17`.
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
  /// The size in bytes of the file that was named.
  package var byteCount: Int { files[0].store.count }
}

extension ReadOptions {
  /// Refuses options that do not apply to the files that are read with them.
  ///
  /// - Parameter formats: The files' formats; an option of one of them is not refused.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` that names every such option.
  package func check(for formats: any ModelSource.Type...) throws(WeighbridgeError) {
    let taken = formats.reduce(into: tolerated) { $0.formUnion($1.options) }
    let surplus = given.filter { !taken.contains($0) }.map(\.description)
    guard let last = surplus.last else { return }
    let first = surplus.dropLast().joined(separator: ", ")
    let names = first.isEmpty ? "\(last) does" : "\(first) and \(last) do"
    let files = formats.map { $0.format }.joined(separator: " and ")
    throw .mismatch("\(formats.count == 1 ? "is" : "the models are") \(files): \(names) not apply")
  }

  /// Whether the file is read by itself, without an architecture or shapes from elsewhere.
  package var isFileAlone: Bool { architecture == nil && inputShapes.isEmpty }
}
