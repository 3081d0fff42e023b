import Bytes
import JSON

/// The header before the elements: eight bytes with the length of a JSON text, and the text.
enum SafetensorsHeader {
  /// The size of the length in bytes.
  static let prefixSize = 8
  /// The maximum size of the text in bytes, which is the limit of the format's own reader.
  static let textByteLimit = 100_000_000
  /// The key of the metadata of the file.
  static let metadataKey = "__metadata__"
  /// The maximum nesting depth: the header has objects in an object, with lists in them.
  private static let depthLimit = 4

  /// Whether bytes begin like a file of the format: a plausible length, then an object.
  static func recognizes(_ bytes: borrowing RawSpan) -> Bool {
    guard bytes.byteCount > prefixSize, bytes[byte: prefixSize] == UInt8(ascii: "{") else {
      return false
    }
    var cursor = ByteCursor(0..<prefixSize)
    guard let length = try? cursor.integer(UInt64.self, from: bytes) else { return false }
    return length >> 40 == 0
  }

  /// Reads the text.
  ///
  /// - Returns: The object, and the offset of the elements.
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``.
  static func read(
    _ bytes: borrowing RawSpan
  ) throws(WeighbridgeError) -> (object: JSONObject, end: Int) {
    var cursor = ByteCursor(0..<bytes.byteCount)
    let length = try Checked.count(
      cursor.integer(UInt64.self, from: bytes), of: "the length of the header")
    guard length <= textByteLimit else {
      throw .limitExceeded("has a header of \(length) bytes, but at most \(textByteLimit) are read")
        .at(.byte(0))
    }
    let text = try cursor.bytes(length, from: bytes)
    guard text.first == UInt8(ascii: "{") else {
      throw .malformed("has a header that does not begin with {").at(.byte(prefixSize))
    }
    var limits = JSONValue.Limits()
    limits.depth = depthLimit
    let json = try JSONValue(parsing: text, limits: limits)
    guard let object = json.object else {
      throw .malformed("has a header that is not an object").at(.byte(prefixSize))
    }
    return (object, cursor.offset)
  }

  /// The bytes before the elements: padded with spaces so that the elements are aligned to eight
  /// bytes.
  static func bytes(_ object: JSONObject) throws(WeighbridgeError) -> [UInt8] {
    var text = Array(JSONValue.object(object).text().utf8)
    text += [UInt8](repeating: UInt8(ascii: " "), count: (prefixSize - text.count % 8) % 8)
    guard text.count <= textByteLimit else {
      throw .unsupported(
        "needs a header of \(text.count) bytes; readers accept at most \(textByteLimit)")
    }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: text.count, byteCount: prefixSize)
    return bytes + text
  }
}
