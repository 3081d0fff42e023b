extension JSONValue {
  /// The value as JSON text.
  ///
  /// NaN and infinities, which JSON does not have, become `null`.
  ///
  /// - Parameter indented: Whether each member and element is on its own line.
  package func text(indented: Bool = false) -> String {
    var writer = JSONWriter(isIndented: indented)
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// Writes values as UTF-8.
private struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private let isIndented: Bool
  /// The number of arrays and objects around the current value.
  private var depth = 0

  init(isIndented: Bool) { self.isIndented = isIndented }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .integer(let value): append(String(value))
    case .real(let value): append(value.isFinite ? value.description : "null")
    case .string(let value): write(value)
    case .array(let elements):
      writeAll(elements, between: ("[", "]")) { writer, element in writer.write(element) }
    case .object(let object):
      writeAll(object.members, between: ("{", "}")) { writer, member in
        writer.write(member.key)
        writer.append(writer.isIndented ? ": " : ":")
        writer.write(member.value)
      }
    }
  }

  private mutating func writeAll<Elements: Collection>(
    _ elements: Elements, between brackets: (String, String),
    _ writeElement: (inout JSONWriter, Elements.Element) -> Void
  ) {
    append(brackets.0)
    depth += 1
    var isFirst = true
    for element in elements {
      if !isFirst { append(",") }
      isFirst = false
      beginLine()
      writeElement(&self, element)
    }
    depth -= 1
    if !isFirst { beginLine() }
    append(brackets.1)
  }

  private mutating func beginLine() {
    guard isIndented else { return }
    append("\n")
    for _ in 0..<depth { append("  ") }
  }

  private mutating func write(_ string: String) {
    append("\"")
    for unit in string.utf8 {
      switch unit {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\r"): append("\\r")
      case UInt8(ascii: "\t"): append("\\t")
      case 0..<0x20: append("\\u00" + (unit < 0x10 ? "0" : "") + String(unit, radix: 16))
      default: bytes.append(unit)
      }
    }
    append("\"")
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
