/// A constant of compiled Python code, as data.
package indirect enum PythonValue: Hashable, Sendable {
  case none
  case bool(Bool)
  case integer(Int)
  case float(Double)
  case string(String)
  case bytes([UInt8])
  /// A tuple, list or set.
  case tuple([PythonValue])
  case ellipsis
  case code(PythonCode)
  /// Something of which only the kind is known, such as `a complex number`.
  case other(String)

  /// The number, if the value is one.
  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .float(let value): value
    default: nil
    }
  }

  /// The value as a name, which in Python 2 is bytes.
  var name: String? {
    switch self {
    case .string(let string): string
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    default: nil
    }
  }

  /// The value as a tuple of names.
  var names: [String]? {
    guard case .tuple(let values) = self else { return nil }
    let names = values.compactMap(\.name)
    return names.count == values.count ? names : nil
  }

  /// The value as Python would print it, limited to a number of characters.
  package func text(limit: Int = 60) -> String {
    let full: String
    switch self {
    case .none: full = "None"
    case .bool(let value): full = value ? "True" : "False"
    case .integer(let value): full = String(value)
    case .float(let value): full = "\(value)"
    case .string(let string): full = "'\(PythonValue.printable(string.prefix(limit)))'"
    case .bytes(let bytes): full = "\(bytes.count) bytes"
    case .tuple(let values):
      // Each element takes at least two characters.
      let shown = values.prefix(limit / 2).map { $0.text(limit: limit / 2) }
      full = "(\(shown.joined(separator: ", "))\(values.count == 1 ? "," : ""))"
    case .ellipsis: full = "..."
    case .code(let code): full = "the function \(PythonValue.printable(code.name.prefix(limit)))"
    case .other(let kind): full = kind
    }
    return full.count > limit ? "\(full.prefix(limit))..." : full
  }

  /// The text without control characters, which could affect a terminal.
  package static func printable(_ text: some StringProtocol) -> String {
    String(
      text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : Character($0) })
  }
}

/// A compiled Python function. It is never run.
package struct PythonCode: Hashable, Sendable {
  /// The versions of Python that write such an object.
  package enum Layout: CaseIterable, Hashable, Sendable {
    /// Python 2.3 to 2.7.
    case python2
    /// Python 3.0 to 3.7.
    case python3
    /// Python 3.8 to 3.10, which count positional-only arguments.
    case python38
    /// Python 3.11 and later, which list all local variables together.
    case python311
  }

  package let layout: Layout
  /// The function's name; `<lambda>` without one.
  package let name: String
  /// The number of positional arguments.
  package let argumentCount: Int
  /// The instructions.
  package let instructions: [UInt8]
  /// The constants that the instructions refer to.
  package let constants: [PythonValue]
  /// The names of global variables, functions and attributes that the instructions refer to.
  package let names: [String]
  /// The local variables, the arguments first; from Python 3.11 on, including those of
  /// ``cellNames``.
  package let variables: [String]
  /// The variables shared with nested or enclosing functions.
  package let cellNames: [String]
  /// The variables of enclosing functions, in the order of the closure's values.
  package let freeNames: [String]
}
