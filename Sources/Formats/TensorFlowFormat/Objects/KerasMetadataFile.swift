package import Bytes
import ProtobufWire

/// The file `keras_metadata.pb` of a SavedModel, which Keras 2.5 and later write beside
/// `saved_model.pb` (`saved_metadata.proto`).
package struct KerasMetadataFile: Sendable {
  /// The file's name.
  package static let name = "keras_metadata.pb"

  /// What Keras says about the object that was saved, as JSON.
  package private(set) var root = ""

  /// Whether bytes begin like such a file.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    let start = bytes.copied(0..<min(64, bytes.byteCount))
    return start.first == 0x0A && String(decoding: start, as: UTF8.self).contains("_tf_keras_")
  }

  /// Reads a file.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``, also for one that does not have the root.
  package init(_ bytes: RawSpan) throws(WeighbridgeError) {
    try WireField.forEach(in: bytes, 0..<bytes.byteCount) { (field) throws(WeighbridgeError) in
      guard field.number == 1, root.isEmpty else { return }
      var (isRoot, json) = (true, "")  // the number of the root is 0, which is not written
      try WireField.forEach(in: bytes, field.range()) { (field) throws(WeighbridgeError) in
        switch field.number {
        case 2: isRoot = try field.integer() == 0
        case 5: json = try field.string(in: bytes)
        default: break
        }
      }
      if isRoot { root = json }
    }
    guard !root.isEmpty else { throw .malformed("does not say what the model is") }
  }
}
