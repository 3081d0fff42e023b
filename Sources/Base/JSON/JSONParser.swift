package import Bytes

extension JSONValue {
  /// Bounds on what ``init(parsing:limits:)`` accepts.
  package struct Limits: Sendable {
    /// The deepest nesting of arrays and objects.
    package var depth = 500
    /// The largest length of the text in bytes.
    package var byteCount = 1 << 28

    /// The default limits.
    package init() {}
  }

  /// Parses a JSON text in UTF-8.
  ///
  /// In addition to RFC 8259, it accepts `NaN`, `Infinity` and `-Infinity`, which Python's writer
  /// produces. A key that occurs twice in an object is an error.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` with the byte offset, or
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package init(
    parsing text: [UInt8], limits: Limits = Limits()
  ) throws(WeighbridgeError) {
    guard text.count <= limits.byteCount else {
      throw .limitExceeded(
        "a JSON text of \(text.count) bytes is over the limit of \(limits.byteCount)")
    }
    var parser = JSONParser(text: text, depthLimit: limits.depth)
    self = try parser.document()
  }
}

/// A recursive-descent parser with a depth limit.
private struct JSONParser {
  let text: [UInt8]
  let depthLimit: Int
  var offset = 0
  var depth = 0

  init(text: [UInt8], depthLimit: Int) {
    self.text = text
    self.depthLimit = depthLimit
  }

  mutating func document() throws(WeighbridgeError) -> JSONValue {
    let value = try value()
    skipWhitespace()
    guard offset == text.count else { throw unexpected("the end of the text") }
    return value
  }

  private mutating func value() throws(WeighbridgeError) -> JSONValue {
    skipWhitespace()
    switch peek {
    case UInt8(ascii: "{"):
      return try nested { (parser) throws(WeighbridgeError) in
        try parser.object()
      }
    case UInt8(ascii: "["):
      return try nested { (parser) throws(WeighbridgeError) in
        try parser.array()
      }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "N"): return try literal("NaN", .real(.nan))
    case UInt8(ascii: "I"): return try literal("Infinity", .real(.infinity))
    case UInt8(ascii: "-") where offset + 1 < text.count && text[offset + 1] == UInt8(ascii: "I"):
      return try literal("-Infinity", .real(-.infinity))
    default: return try number()
    }
  }

  private mutating func nested(
    _ parse: (inout JSONParser) throws(WeighbridgeError) -> JSONValue
  ) throws(WeighbridgeError) -> JSONValue {
    depth += 1
    guard depth <= depthLimit else {
      throw .limitExceeded("JSON nests deeper than \(depthLimit) levels").at(.byte(offset))
    }
    offset += 1
    let value = try parse(&self)
    depth -= 1
    return value
  }

  private mutating func object() throws(WeighbridgeError) -> JSONValue {
    var members = JSONObject()
    skipWhitespace()
    if take("}") { return .object(members) }
    repeat {
      skipWhitespace()
      let start = offset
      guard peek == UInt8(ascii: "\"") else { throw unexpected("a key") }
      let key = try string()
      guard members[key] == nil else {
        throw .malformed("the key \"\(key)\" occurs twice").at(.byte(start))
      }
      skipWhitespace()
      guard take(":") else { throw unexpected("\":\"") }
      members[key] = try value()
      skipWhitespace()
    } while take(",")
    guard take("}") else { throw unexpected("\",\" or \"}\"") }
    return .object(members)
  }

  private mutating func array() throws(WeighbridgeError) -> JSONValue {
    var elements: [JSONValue] = []
    skipWhitespace()
    if take("]") { return .array(elements) }
    repeat {
      elements.append(try value())
      skipWhitespace()
    } while take(",")
    guard take("]") else { throw unexpected("\",\" or \"]\"") }
    return .array(elements)
  }

  private mutating func number() throws(WeighbridgeError) -> JSONValue {
    let start = offset
    _ = take("-")
    let firstDigit = offset
    guard skipDigits() else { throw unexpected("a value") }
    guard offset - firstDigit == 1 || text[firstDigit] != UInt8(ascii: "0") else {
      throw .malformed("a number has a leading zero, which JSON does not allow").at(.byte(start))
    }
    var isInteger = true
    if take(".") {
      isInteger = false
      guard skipDigits() else { throw unexpected("a digit") }
    }
    if take("e") || take("E") {
      isInteger = false
      if !take("+") { _ = take("-") }
      guard skipDigits() else { throw unexpected("a digit") }
    }
    let digits = String(decoding: text[start..<offset], as: UTF8.self)
    if isInteger, let integer = Int(digits) { return .integer(integer) }
    return .real(Double(digits) ?? .nan)  // the syntax was checked, and `Double` accepts it
  }

  private mutating func string() throws(WeighbridgeError) -> String {
    offset += 1
    if let string = simpleString() { return string }
    var bytes: [UInt8] = []
    while true {
      let start = offset
      while offset < text.count, text[offset] != UInt8(ascii: "\""),
        text[offset] != UInt8(ascii: "\\"), text[offset] >= 0x20
      { offset += 1 }
      bytes.append(contentsOf: text[start..<offset])
      if take("\"") { break }
      guard peek == UInt8(ascii: "\\") else { throw unexpected("the end of a string") }
      offset += 1
      try escape(into: &bytes)
    }
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw .malformed("a string is not UTF-8").at(.byte(offset))
    }
    return string
  }

  /// Reads a string of ASCII characters without escapes, as nearly all strings are, after its
  /// opening quote; for other strings, returns `nil` and reads nothing.
  private mutating func simpleString() -> String? {
    var end = offset
    while end < text.count, text[end] != UInt8(ascii: "\"") {
      guard text[end] != UInt8(ascii: "\\"), (0x20..<0x80).contains(text[end]) else { return nil }
      end += 1
    }
    guard end < text.count else { return nil }
    defer { offset = end + 1 }
    return String(decoding: text[offset..<end], as: UTF8.self)
  }

  private mutating func escape(into bytes: inout [UInt8]) throws(WeighbridgeError) {
    let simpleEscapes: [UInt8: UInt8] = [
      UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F,
      UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
      UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]
    guard let letter = peek else { throw unexpected("an escape") }
    offset += 1
    if let byte = simpleEscapes[letter] {
      bytes.append(byte)
      return
    }
    guard letter == UInt8(ascii: "u") else { throw unexpected("an escape") }
    var code = try hexadecimal()
    if (0xD800..<0xDC00).contains(code), take("\\"), take("u") {
      let low = try hexadecimal()
      guard (0xDC00..<0xE000).contains(low) else { throw unexpected("a low surrogate") }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw unexpected("a pair of surrogates") }
    bytes.append(contentsOf: Array(String(Character(scalar)).utf8))
  }

  private mutating func hexadecimal() throws(WeighbridgeError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw unexpected("four hexadecimal digits")
      }
      code = code << 4 | UInt32(digit)
      offset += 1
    }
    return code
  }

  private mutating func literal(
    _ literal: StaticString, _ value: JSONValue
  ) throws(WeighbridgeError) -> JSONValue {
    let expected = Array(literal.description.utf8)
    guard text[offset...].starts(with: expected) else { throw unexpected("a value") }
    offset += expected.count
    return value
  }

  private var peek: UInt8? { offset < text.count ? text[offset] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func skipDigits() -> Bool {
    let start = offset
    while let byte = peek, (0x30...0x39).contains(byte) { offset += 1 }
    return offset > start
  }

  private mutating func skipWhitespace() {
    while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
  }

  private func unexpected(_ expected: String) -> WeighbridgeError {
    let found = peek.map { byte in
      (0x21...0x7E).contains(byte)
        ? "\"\(Character(Unicode.Scalar(byte)))\"" : "byte 0x\(String(byte, radix: 16))"
    }
    return .malformed(
      "not JSON: found \(found ?? "the end") where \(expected) was expected"
    ).at(.byte(offset))
  }
}
