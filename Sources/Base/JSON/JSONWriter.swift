extension JSONValue {
  /// The value as JSON text.
  ///
  /// NaN and infinities, which JSON does not have, become `null`.
  ///
  /// - Parameter indented: Whether each member and element gets a line of its own.
  package func text(indented: Bool = false) -> String {
    var text = ""
    write(into: &text, level: indented ? 0 : nil)
    return text
  }

  private func write(into text: inout String, level: Int?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .real(let value): text += value.isFinite ? value.description : "null"
    case .string(let value): Self.write(value, into: &text)
    case .array(let elements):
      Self.write(elements, between: ("[", "]"), into: &text, level: level) { element, text, level in
        element.write(into: &text, level: level)
      }
    case .object(let members):
      Self.write(members.keys, between: ("{", "}"), into: &text, level: level) { key, text, level in
        Self.write(key, into: &text)
        text += level == nil ? ":" : ": "
        members[key]?.write(into: &text, level: level)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], between brackets: (String, String), into text: inout String,
    level: Int?, _ writeElement: (Element, inout String, Int?) -> Void
  ) {
    text += brackets.0
    let inner = level.map { $0 + 1 }
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      if let inner { text += "\n" + String(repeating: "  ", count: inner) }
      writeElement(element, &text, inner)
    }
    if let level, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: level) }
    text += brackets.1
  }

  private static func write(_ string: String, into text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
