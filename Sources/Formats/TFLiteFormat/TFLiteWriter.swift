package import Bytes
import FlatBuffers
import ZipArchive

/// Writes a `.tflite` file, weight by weight. The same model always yields the same bytes.
package struct TFLiteWriter: ~Copyable {
  private var file: AtomicFile
  private var data: [FlatBufferContents.Data]
  private let model: TFLiteModel

  /// Begins to write a model.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; ``WeighbridgeError/Code/unsupported`` for
  ///   more than 2 GB.
  package init(_ model: TFLiteModel, to path: String) throws(WeighbridgeError) {
    let contents = try FlatBufferContents(root: model.root, identifier: TFLiteModel.identifier)
    var file = try AtomicFile(path: path)
    try unsafe file.append(contents.bytes.span.bytes)
    (self.model, data) = (model, contents.data.reversed())
    self.file = file
  }

  /// Begins the next weight. One without elements has no place in the file.
  package mutating func beginWeight(byteCount: Int) throws(WeighbridgeError) {
    guard byteCount > 0, let next = data.popLast() else { return }
    precondition(next.byteCount == byteCount, "the weight has another size")
    try unsafe file.append(next.prefix.span.bytes)
  }

  /// Appends elements of the current weight, little-endian.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    if bytes.byteCount > 0 { try file.append(bytes) }
  }

  /// Writes the metadata, then the files as a ZIP archive, and moves the file to its path.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    for entry in model.allEntries {
      try beginWeight(byteCount: entry.bytes.count)
      try unsafe append(entry.bytes.span.bytes)
    }
    precondition(data.isEmpty, "weights are missing")
    guard !model.files.isEmpty else { return try file.commit(replacing: replacing) }
    let files = model.files
    var archive = ZipWriter(appendingTo: file)
    for entry in files { try archive.add(entry.name, entry.bytes) }
    try archive.commit(replacing: replacing)
  }
}
