internal import Bytes
internal import JSON

/// The interpretation of scalars of YAML 1.1, as in PyYAML.
enum YAMLScalar {
  /// The value of a scalar; `nil` for a tag of an object.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the text does not have the tag's type.
  static func value(
    _ text: String, isPlain: Bool, tag: String
  ) throws(WeighbridgeError) -> JSONValue? {
    let plain = isPlain ? resolved(text) : nil
    let value: JSONValue?
    switch tag {
    case "": return plain ?? .string(text)
    case "!", "str", "python/str", "python/unicode": return .string(text)
    case "null", "python/none": value = .null
    case "bool", "python/bool":
      value = resolved(text).flatMap { $0.bool == nil ? nil : $0 }
    case "int", "python/int", "python/long": value = Int(text).map(JSONValue.integer)
    case "float", "python/float": value = resolved(text).flatMap { $0.real.map(JSONValue.real) }
    default: return nil
    }
    guard let value else { throw .malformed("\"\(text)\" is not of the type !!\(tag)") }
    return value
  }

  /// The value of an unquoted scalar, where it is not a string.
  private static func resolved(_ text: String) -> JSONValue? {
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON": return .bool(true)
    case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF": return .bool(false)
    case ".nan", ".NaN", ".NAN": return .real(.nan)
    case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .real(.infinity)
    case "-.inf", "-.Inf", "-.INF": return .real(-.infinity)
    default: return number(text)
    }
  }

  /// A decimal number. As in PyYAML, a fraction needs its point, and an exponent its sign. Octal,
  /// hexadecimal and sexagesimal numbers, which do not occur in architectures, become strings.
  private static func number(_ text: String) -> JSONValue? {
    var rest = text.utf8[...]
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(digits.count)
    if rest.isEmpty {
      guard !digits.isEmpty, digits.count == 1 || digits.first != UInt8(ascii: "0") else {
        return nil
      }
      return Int(text).map(JSONValue.integer) ?? Double(text).map(JSONValue.real)
    }
    guard rest.first == UInt8(ascii: ".") else { return nil }
    rest.removeFirst()
    let fraction = rest.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty || !fraction.isEmpty else { return nil }
    rest = rest.dropFirst(fraction.count)
    guard hasPlainExponent(rest) else { return nil }
    // Swift requires a digit on both sides of the point.
    let number = text.replacing(".", with: fraction.isEmpty ? "" : ".", maxReplacements: 1)
    return Double(number).map(JSONValue.real)
  }

  private static func hasPlainExponent(_ rest: Substring.UTF8View) -> Bool {
    guard let letter = rest.first else { return true }
    guard letter == UInt8(ascii: "e") || letter == UInt8(ascii: "E") else { return false }
    let signed = rest.dropFirst()
    guard signed.first == UInt8(ascii: "+") || signed.first == UInt8(ascii: "-") else {
      return false
    }
    let digits = signed.dropFirst()
    return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
  }
}
