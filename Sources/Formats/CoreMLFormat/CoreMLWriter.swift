package import Bytes
package import ProtobufWire

/// Writes a Core ML file from front to back; the elements of weights are appended when they are
/// due, and are never part of a message.
///
/// ```swift
/// var writer = try CoreMLWriter(model, to: path)
/// while let place = try writer.nextPlace() {
///   try writer.append(elements(of: place))
/// }
/// try writer.commit(replacing: true)
/// ```
package struct CoreMLWriter: ~Copyable {
  private var file: AtomicFile
  private let pieces: [ProtobufPieces.Piece]
  private var next = 0
  /// The number of bytes still to be appended for the current elements.
  private var missing = 0

  /// Protobuf's limit for the size of a file.
  package static let largestFile = Int(Int32.max)

  /// Begins a file.
  ///
  /// - Parameter model: The model to write. A place's offset is any number by which the caller
  ///   identifies the elements.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; ``WeighbridgeError/Code/unsupported`` when a
  ///   string contains a NUL, a number does not fit its field, or the file would be larger than
  ///   protobuf allows.
  package init(_ model: CoreMLModel, to path: String) throws(WeighbridgeError) {
    guard let descriptor = CoreMLSchema.model else {
      preconditionFailure("the compiled schema has no model")
    }
    let message = try ProtobufPieces(model.record, as: descriptor)
    guard message.byteCount <= Self.largestFile else {
      throw .unsupported("an .mlmodel file of \(message.byteCount) bytes is more than 2 GB")
    }
    let file = try AtomicFile(path: path)
    self.file = file
    pieces = message.pieces
  }

  /// Writes up to the next elements of weights.
  ///
  /// - Returns: The elements that must be appended now; `nil` when the file is complete.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func nextPlace() throws(WeighbridgeError) -> ProtobufPlace? {
    precondition(missing == 0, "elements of a weight are missing")
    while next < pieces.count {
      defer { next += 1 }
      switch pieces[next] {
      case .bytes(let bytes): try file.append(bytes.span.bytes)
      case .place(let place):
        missing = place.byteCount
        return place
      }
    }
    return nil
  }

  /// Appends elements, little-endian and in row-major order.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    missing -= bytes.byteCount
    precondition(missing >= 0, "more elements than the weight has")
    try file.append(bytes)
  }

  /// Puts the file in place.
  ///
  /// - Parameter replacing: Whether a file of that name may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    precondition(next == pieces.count && missing == 0, "parts of the file are missing")
    try file.commit(replacing: replacing)
  }
}
