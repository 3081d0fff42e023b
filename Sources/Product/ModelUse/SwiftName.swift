import GraphIR

/// Swift identifiers for names in a model.
enum SwiftName {
  /// Returns the name of a property: `the image` becomes `theImage`, `input:0` `input0`, `1st`
  /// `_1st`. A keyword gets backticks, or an underscore if a property cannot have its name.
  ///
  /// - Parameter usedNames: The names that are in use; the new one is added.
  static func property(_ name: String, _ usedNames: inout UniqueNames) -> String {
    let parts = parts(of: name)
    let joined = parts.dropFirst().reduce(parts.first ?? "feature") { $0 + capitalized($1) }
    var plain = joined.first?.isNumber == true ? "_\(joined)" : joined
    if invalidPropertyNames.contains(plain) { plain += "_" }
    let unique = usedNames.unused(plain)
    return keywords.contains(unique) ? "`\(unique)`" : unique
  }

  /// Returns the name of a class: `shape-detector` becomes `ShapeDetector`. If the generated code
  /// needs the name for something else, `Model` is appended.
  static func type(_ name: String) -> String {
    let joined = parts(of: name).map(capitalized).joined()
    let plain = joined.first?.isNumber != false ? "Model\(joined)" : joined
    return reservedTypeNames.contains(plain) ? "\(plain)Model" : plain
  }

  /// Returns the runs of letters, digits and underscores.
  private static func parts(of name: String) -> [String] {
    name.split { !($0.isLetter || $0.isASCII && $0.isNumber || $0 == "_") }.map(String.init)
      .filter { $0 != "_" }
  }

  private static func capitalized(_ word: String) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }

  private static let invalidPropertyNames: Set<String> = [
    "self", "Self", "init", "Type", "Protocol",
  ]

  private static let reservedTypeNames: Set<String> = [
    "Weighbridge", "Swift", "Foundation", "Bundle", "String", "Double", "Sendable", "Any", "Self",
    "Type", "Protocol",
  ]

  private static let keywords: Set<String> = [
    "Any", "as", "associatedtype", "borrowing", "break", "case", "catch", "class", "consuming",
    "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough",
    "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "inout", "internal", "is",
    "let", "nil", "nonisolated", "operator", "precedencegroup", "private", "protocol", "public",
    "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw",
    "throws", "true", "try", "typealias", "var", "where", "while", "await", "async",
  ]
}

extension String {
  /// The string as a Swift string literal.
  var swiftLiteral: String {
    var literal = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        literal += "\\u{\(String(scalar.value, radix: 16))}"
      case _: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }
}
