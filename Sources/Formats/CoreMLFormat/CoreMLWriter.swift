package import Bytes
package import ProtobufWire

/// Writes a Core ML file sequentially. The elements of weights are appended when they are needed,
/// and are never part of a message in memory.
///
/// ```swift
/// var writer = try CoreMLWriter(model, to: path)
/// while let byteRange = try writer.nextByteRange() {
///   try writer.append(elements(of: byteRange))
/// }
/// try writer.commit(replacing: true)
/// ```
package struct CoreMLWriter: ~Copyable {
  private var file: AtomicFile
  private let pieces: [ProtobufPieces.Piece]
  private var next = 0
  /// The number of bytes still to be appended for the current elements.
  private var remaining = 0

  /// Protobuf's limit for the size of a file, in bytes.
  package static let maximumFileSize = Int(Int32.max)

  /// Begins a file.
  ///
  /// - Parameter model: The model to write. The offset of a byte range is any number by which the
  ///   caller identifies the elements.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; ``WeighbridgeError/Code/unsupported`` when a
  ///   string contains a NUL, a number does not fit its field, or the file would be larger than
  ///   protobuf allows.
  package init(_ model: CoreMLModel, to path: String) throws(WeighbridgeError) {
    guard let descriptor = CoreMLSchema.model else {
      preconditionFailure("the compiled schema has no model")
    }
    let message = try ProtobufPieces(model.record, as: descriptor)
    guard message.byteCount <= Self.maximumFileSize else {
      throw .unsupported("an .mlmodel file of \(message.byteCount) bytes is more than 2 GB")
    }
    let file = try AtomicFile(path: path)
    self.file = file
    pieces = message.pieces
  }

  /// Writes everything before the next elements of weights.
  ///
  /// - Returns: The byte range of the elements to append next; `nil` when the file is complete.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func nextByteRange() throws(WeighbridgeError) -> ProtobufByteRange? {
    precondition(remaining == 0, "elements of a weight are missing")
    while next < pieces.count {
      defer { next += 1 }
      switch pieces[next] {
      case .bytes(let bytes): try unsafe file.append(bytes.span.bytes)
      case .byteRange(let byteRange):
        remaining = byteRange.byteCount
        return byteRange
      }
    }
    return nil
  }

  /// Appends elements, little-endian and in row-major order.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    remaining -= bytes.byteCount
    precondition(remaining >= 0, "more elements than the weight has")
    try file.append(bytes)
  }

  /// Finishes the file and moves it to its path.
  ///
  /// - Parameter replacing: Whether an existing file may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    precondition(next == pieces.count && remaining == 0, "parts of the file are missing")
    try file.commit(replacing: replacing)
  }
}
