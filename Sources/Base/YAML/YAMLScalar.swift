internal import Bytes
internal import JSON

/// Resolves scalars of YAML 1.1 to values, as PyYAML does.
enum YAMLScalar {
  /// Returns the value of a scalar; `nil` for the tag of an object.
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

  /// Returns the value of an unquoted scalar; `nil` if it is a string.
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

  /// Reads a decimal number. As in PyYAML, a fraction needs its point, and an exponent its sign.
  /// Octal, hexadecimal and sexagesimal numbers, which do not occur in architectures, become
  /// strings.
  private static func number(_ text: String) -> JSONValue? {
    var remaining = text.utf8[...]
    if remaining.first == UInt8(ascii: "-") || remaining.first == UInt8(ascii: "+") {
      remaining.removeFirst()
    }
    let digits = remaining.prefix { (0x30...0x39).contains($0) }
    remaining = remaining.dropFirst(digits.count)
    if remaining.isEmpty {
      guard !digits.isEmpty, digits.count == 1 || digits.first != UInt8(ascii: "0") else {
        return nil
      }
      return Int(text).map(JSONValue.integer) ?? Double(text).map(JSONValue.real)
    }
    guard remaining.first == UInt8(ascii: ".") else { return nil }
    remaining.removeFirst()
    let fraction = remaining.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty || !fraction.isEmpty else { return nil }
    remaining = remaining.dropFirst(fraction.count)
    guard isEmptyOrExponent(remaining) else { return nil }
    // Swift requires a digit on both sides of the point.
    let number = text.replacing(".", with: fraction.isEmpty ? "" : ".", maxReplacements: 1)
    return Double(number).map(JSONValue.real)
  }

  private static func isEmptyOrExponent(_ text: Substring.UTF8View) -> Bool {
    guard let letter = text.first else { return true }
    guard letter == UInt8(ascii: "e") || letter == UInt8(ascii: "E") else { return false }
    let signedDigits = text.dropFirst()
    guard signedDigits.first == UInt8(ascii: "+") || signedDigits.first == UInt8(ascii: "-") else {
      return false
    }
    let digits = signedDigits.dropFirst()
    return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
  }
}
