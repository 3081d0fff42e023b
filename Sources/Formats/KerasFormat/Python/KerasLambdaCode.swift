package import Bytes
package import JSON

/// The compiled function that a `Lambda` contains, as data.
package struct KerasLambdaCode: Sendable {
  /// The function.
  package let code: PythonCode
  /// The default values of its last arguments; empty if there are none.
  package let defaults: [JSONValue]
  /// The values of the variables of enclosing functions that it uses, in their order.
  package let closure: [JSONValue]

  /// A size in bytes that no function of a layer exceeds.
  private static let sizeLimit = 1 << 20

  /// Reads the function in a layer's settings: a list of its code, defaults and closure in Keras 1
  /// and 2, or an object with them in Keras 3.
  ///
  /// - Returns: `nil` when the settings contain none.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it is not a Python function;
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package init?(of record: KerasLayerRecord) throws(WeighbridgeError) {
    let function = record.config["function"]
    let parts = function?.object?["config"]?.object
    guard record.className == "Lambda",
      let text = parts?["code"]?.string ?? function?.array?.first?.string, !text.isEmpty
    else { return nil }
    guard text.utf8.count <= Self.sizeLimit else {
      throw .limitExceeded(
        "has \(text.utf8.count) bytes of compiled code, which are more "
          + "than can be read")
    }
    code = try PythonMarshal.code(try Self.bytes(text))
    let list = function?.array ?? []
    defaults = Self.values(parts?["defaults"] ?? (list.count > 1 ? list[1] : .null))
    closure = Self.values(parts?["closure"] ?? (list.count > 2 ? list[2] : .null))
  }

  /// The elements of a list, or of Keras 3's form of a tuple.
  private static func values(_ json: JSONValue) -> [JSONValue] {
    let form = json.object
    return json.array ?? form?["items"]?.array ?? form?["config"]?.object?["items"]?.array ?? []
  }

  /// Decodes the bytes in a string: base64, or in Keras 1 and early versions of Keras 2 one
  /// character for each byte.
  private static func bytes(_ text: String) throws(WeighbridgeError) -> [UInt8] {
    let scalars = Array(text.unicodeScalars)
    // A marshaled code object begins with "c", with or without the flag 0x80, and the low byte of a
    // small number. In base64, it begins with "Y" or "4".
    guard let first = scalars.first, !["c", "\u{E3}"].contains(first) else {
      return rawUnicodeEscape(scalars)
    }
    guard let bytes = [UInt8](base64: text) else {
      throw .malformed("is neither base64 nor compiled code")
    }
    return bytes
  }

  /// Encodes characters by Python's `raw_unicode_escape`, by which Keras decoded the bytes.
  private static func rawUnicodeEscape(_ scalars: [UnicodeScalar]) -> [UInt8] {
    scalars.flatMap { scalar -> [UInt8] in
      if let byte = UInt8(exactly: scalar.value) { return [byte] }
      let digits = String(scalar.value, radix: 16)
      let isBMP = scalar.value <= 0xFFFF
      let padding = String(repeating: "0", count: max(0, (isBMP ? 4 : 8) - digits.count))
      return Array("\\\(isBMP ? "u" : "U")\(padding)\(digits)".utf8)
    }
  }
}
