/// A protobuf message written as text, for files that no writer makes: fields `number=value`, separated
/// by blanks, where a value is an integer, a decimal with a point (a float), a list `[1,2]` (packed),
/// `w4` (weights: a message of four floats), `'text'` or a message in braces.
package struct WireMessage: ExpressibleByStringLiteral, Sendable {
  /// The encoded fields.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// - Precondition: The text is as described.
  package init(stringLiteral text: String) { self.init(text) }

  package init(_ text: String) {
    for (number, value) in Self.fields(text) { add(number, value) }
  }

  /// Adds an integer.
  package mutating func add(_ number: Int, _ integer: Int) {
    appendVarint(number << 3)
    appendVarint(integer)
  }

  /// Adds bytes: a message, a string or a packed list.
  package mutating func add(_ number: Int, _ content: [UInt8]) {
    appendVarint(number << 3 | 2)
    appendVarint(content.count)
    bytes += content
  }

  private mutating func add(_ number: Int, _ value: Substring) {
    let inner = value.dropFirst().dropLast()
    switch value.first {
    case "{": add(number, WireMessage(String(inner)).bytes)
    case "'": add(number, Array(inner.utf8))
    case "[": add(number, Self.packed(inner.split(separator: ",")))
    case "w": add(number, Self.weights(count: Int(value.dropFirst()) ?? 0).bytes)
    default:
      guard value.contains("."), let float = Float(value) else {
        return add(number, Int(value) ?? 0)
      }
      appendVarint(number << 3 | 5)
      bytes += Self.littleEndian(float)
    }
  }

  private static func packed(_ items: [Substring]) -> [UInt8] {
    items.reduce(into: WireMessage()) { message, item in
      if item.contains("."), let float = Float(item) {
        message.bytes += littleEndian(float)
      } else {
        message.appendVarint(Int(item) ?? 0)
      }
    }.bytes
  }

  private static func weights(count: Int) -> WireMessage {
    var message = WireMessage()
    message.add(1, (0..<count).flatMap { littleEndian(Float($0 % 3) / 4) })
    return message
  }

  private static func littleEndian(_ float: Float) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: float.bitPattern >> ($0 * 8)) }
  }

  private mutating func appendVarint(_ integer: Int) {
    var rest = UInt64(bitPattern: Int64(integer))
    while rest > 127 {
      bytes.append(UInt8(rest & 127 | 128))
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Splits a text at the blanks outside of braces.
  private static func fields(_ text: String) -> [(Int, Substring)] {
    var depth = 0
    let parts = text.split { character in
      if character == "{" { depth += 1 }
      if character == "}" { depth -= 1 }
      return character == " " && depth == 0
    }
    return parts.compactMap { part in
      let halves = part.split(separator: "=", maxSplits: 1)
      return halves.count == 2 ? Int(halves[0]).map { ($0, halves[1]) } : nil
    }
  }
}
