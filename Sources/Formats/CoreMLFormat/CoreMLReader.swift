package import Bytes
package import ProtobufWire

/// Reads Core ML files, except for the elements of weights, which stay in the file.
package enum CoreMLReader {
  /// Whether bytes look like a Core ML file: a message whose top-level fields are those of a model,
  /// including one for its kind. The bytes after them may be invalid.
  ///
  /// - Complexity: O(n) in the number of top-level fields, not of bytes.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    let numbers = ProtobufRecordReader.leadingFieldNumbers(bytes)
    return numbers.contains(1) && !CoreMLSchema.kinds(numbers).isEmpty
  }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: The whole file. The offsets of ``CoreMLWeights/byteRange`` start at its first byte.
  ///   - limits: The limits of what is accepted.
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for
  ///   models of other kinds and for fields that no specification up to version 5 has;
  ///   ``WeighbridgeError/Code/limitExceeded``.
  /// - Complexity: O(n) in the size of the file without its weights.
  package static func read(
    _ bytes: RawSpan, limits: ProtobufLimits = ProtobufLimits()
  ) throws(WeighbridgeError) -> CoreMLModel {
    let kinds = CoreMLSchema.kinds(try ProtobufRecordReader.fieldNumbers(bytes))
    if let other = kinds.first(where: { !CoreMLSchema.isReadable($0) }) {
      throw CoreMLSchema.unsupportedKindError(other)
    }
    guard kinds.count <= 1 else {
      throw .malformed("is of the kinds \(kinds.joined(separator: " and ")), expected one")
    }
    guard let descriptor = CoreMLSchema.model else {
      preconditionFailure("the compiled schema has no model")
    }
    let record = try ProtobufRecordReader.read(
      bytes, as: descriptor, inPlace: CoreMLSchema.fieldsInPlace, limits: limits)
    return try CoreMLModel(record)
  }
}
