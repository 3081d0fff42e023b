/// Markup, written as a string literal whose interpolated strings are escaped, so that no string
/// from a model can become an element, an attribute or a script:
///
///     let row: HTML = "<td title=\"\(name)\">\(name)</td>"
///
/// Other markup is interpolated unchanged. Pages are also well-formed XML, and tests read them as
/// such.
struct HTML: ExpressibleByStringInterpolation {
  private(set) var text: String

  init(stringLiteral value: String) { text = value }

  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Escapes text from outside and truncates it.
  ///
  /// - Parameter limit: The most characters; longer text ends with an ellipsis.
  init(escaping text: String, limit: Int = .max) {
    var escaped = ""
    escaped.append(text, limit: limit)
    self.text = escaped
  }

  /// Makes markup from a trusted string that is not a literal.
  init(trusted text: String) { self.text = text }

  static func + (first: HTML, second: HTML) -> HTML { HTML(trusted: first.text + second.text) }

  static func += (first: inout HTML, second: HTML) { first.text += second.text }

  /// The parts of a literal and its interpolations.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: String) { text += literal }

    /// Escapes the text.
    mutating func appendInterpolation(_ value: String) { text.append(value, limit: .max) }

    mutating func appendInterpolation(_ value: Int) { text += String(value) }

    /// Appends coordinates and the like, with at most one decimal.
    mutating func appendInterpolation(_ value: Double) { text += value.oneDecimal }

    mutating func appendInterpolation(_ markup: HTML) { text += markup.text }

    mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.text } }
  }
}

extension Double {
  /// Rounded to tenths; whole numbers have no decimal.
  var oneDecimal: String {
    let tenths = Int(exactly: (self * 10).rounded()) ?? 0
    let sign = tenths < 0 ? "-" : ""
    let (whole, decimal) = (tenths.magnitude / 10, tenths.magnitude % 10)
    return decimal == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(decimal)"
  }
}

extension String {
  /// Appends text, escaping markup characters and replacing those that XML does not allow or that
  /// change the direction of the text after them.
  fileprivate mutating func append(_ text: String, limit: Int) {
    for (count, scalar) in text.unicodeScalars.enumerated() {
      guard count < limit else {
        self += "\u{2026}"
        return
      }
      switch scalar {
      case "&": self += "&amp;"
      case "<": self += "&lt;"
      case ">": self += "&gt;"
      case "\"": self += "&quot;"
      case "'": self += "&#39;"
      case "\t", "\n": unicodeScalars.append(scalar)
      case _ where scalar.isUnsafeInMarkup: self += "\u{FFFD}"
      default: unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether it is a control character, a noncharacter, or changes the direction of text.
  fileprivate var isUnsafeInMarkup: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF: true
    default: false
    }
  }
}
