/// A constant of compiled Python code, as data.
package indirect enum PythonValue: Hashable, Sendable {
  case none
  case bool(Bool)
  case integer(Int)
  case real(Double)
  case text(String)
  case bytes([UInt8])
  /// A tuple, list or set.
  case tuple([PythonValue])
  case ellipsis
  case code(PythonCode)
  /// Something of which only the kind is told, such as `a complex number`.
  case other(String)

  /// The number, when this is one.
  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }

  /// The text of a name, which in Python 2 is bytes.
  var name: String? {
    switch self {
    case .text(let text): text
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    default: nil
    }
  }

  /// The names of a tuple that has nothing else.
  var names: [String]? {
    guard case .tuple(let values) = self else { return nil }
    let names = values.compactMap(\.name)
    return names.count == values.count ? names : nil
  }

  /// The value as Python would print it, with no more than some characters.
  package func text(limit: Int = 60) -> String {
    let full: String
    switch self {
    case .none: full = "None"
    case .bool(let value): full = value ? "True" : "False"
    case .integer(let value): full = String(value)
    case .real(let value): full = "\(value)"
    case .text(let text): full = "'\(PythonValue.printable(text.prefix(limit)))'"
    case .bytes(let bytes): full = "\(bytes.count) bytes"
    case .tuple(let values):
      // Each element takes two characters at least.
      let shown = values.prefix(limit / 2).map { $0.text(limit: limit / 2) }
      full = "(\(shown.joined(separator: ", "))\(values.count == 1 ? "," : ""))"
    case .ellipsis: full = "..."
    case .code(let code): full = "the function \(PythonValue.printable(code.name.prefix(limit)))"
    case .other(let kind): full = kind
    }
    return full.count > limit ? "\(full.prefix(limit))..." : full
  }

  /// A text without control characters, which would act on a terminal.
  package static func printable(_ text: some StringProtocol) -> String {
    String(
      text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : Character($0) })
  }
}

/// A compiled function of Python. It is read, and never run.
package struct PythonCode: Hashable, Sendable {
  /// Which versions of Python write such an object.
  package enum Layout: CaseIterable, Hashable, Sendable {
    /// Python 2.3 to 2.7.
    case python2
    /// Python 3.0 to 3.7.
    case python3
    /// Python 3.8 to 3.10, which tell the arguments that have no names.
    case python38
    /// Python 3.11 and later, which list all local variables together.
    case python311
  }

  package let layout: Layout
  /// The function's name; `<lambda>` without one.
  package let name: String
  /// How many arguments it takes by their position.
  package let argumentCount: Int
  /// The instructions.
  package let instructions: [UInt8]
  /// What the instructions refer to as constants.
  package let constants: [PythonValue]
  /// The names of global variables, functions and attributes that it refers to.
  package let names: [String]
  /// The local variables, the arguments first; from Python 3.11 on with those of ``cellNames``.
  package let variables: [String]
  /// The variables shared with other functions.
  package let cellNames: [String]
}
