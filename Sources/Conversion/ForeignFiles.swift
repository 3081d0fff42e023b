import Bytes

/// What files and folders are that look like a model and cannot be read, and what to do with them.
enum ForeignFiles {
  /// What a folder is; `nil` when it is none that is known.
  static func folder(_ path: String) -> WeighbridgeError? {
    let name = path.hasSuffix("/") ? String(path.dropLast()) : path
    if exists("\(name)/saved_model.pb") {
      return WeighbridgeError(
        .unsupported,
        "is a SavedModel folder of TensorFlow, which cannot be read; load it there and save it with "
          + "model.save(\"model.h5\")"
      ).at(file: path)
    }
    if exists("\(name)/config.json"), exists("\(name)/model.weights.h5") {
      return WeighbridgeError(
        .unsupported,
        "is a .keras archive as a folder (zipped=False), which is not read as a whole; give "
          + "\(name)/model.weights.h5 with --architecture \(name)/config.json, and "
          + "--keras-version as \(name)/metadata.json has it"
      ).at(file: path)
    }
    return nil
  }

  /// What a file that is neither `.wbm` nor Keras seems to be, to go on a sentence that says so.
  static func hint(_ bytes: borrowing RawSpan) -> String {
    let start = bytes.copied(0..<min(4096, bytes.byteCount))
    let first = start.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if isCheckpointIndex(bytes) {
      return ", but the index of a TensorFlow checkpoint, which cannot be read; load it there and "
        + "save it with model.save(\"model.h5\")"
    }
    if start.starts(with: [0x08, 0x01, 0x12]) || start.starts(with: [0x0A]), !isText(start) {
      return ", but looks like a TensorFlow graph or SavedModel (.pb), which cannot be read; save "
        + "the model with model.save(\"model.h5\")"
    }
    if first == UInt8(ascii: "{") || start.starts(with: "\"{".utf8) { return jsonHint(start) }
    if start.starts(with: "model_checkpoint_path".utf8) {
      return ", but names the checkpoints of TensorFlow, which cannot be read"
    }
    return isText(start.prefix(64)) ? " but a text file" : ""
  }

  private static func jsonHint(_ start: [UInt8]) -> String {
    if String(decoding: start, as: UTF8.self).contains("\"weight_map\"") {
      return ", but lists weights that are split over several files (max_shard_size), which cannot "
        + "be read yet; save them in one file"
    }
    return " but looks like JSON; an architecture goes with --architecture, beside the weights"
  }

  /// A table of LevelDB's format ends with this number.
  private static func isCheckpointIndex(_ bytes: borrowing RawSpan) -> Bool {
    let magic: [UInt8] = [0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB]
    guard bytes.byteCount >= 48 else { return false }
    return bytes.copied(bytes.byteCount - magic.count..<bytes.byteCount) == magic
  }

  private static func isText(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
  }
}
