package import GraphIR

extension License {
  /// Creates a license from a user's string: with an SPDX expression if it is one (SPDX specification
  /// 2.3, annex D), else with a note.
  package init(parsing text: String) {
    if SPDXExpression.isValid(text) {
      self.init(text: text, spdxExpression: text, note: nil)
      return
    }
    var note = "not an SPDX license expression"
    let familyMembers = SPDXIdentifiers.licenses.filter {
      $0.lowercased().hasPrefix(text.lowercased() + "-")
    }.sorted()
    if !familyMembers.isEmpty, !text.isEmpty {
      let shown = familyMembers.prefix(4).joined(separator: ", ")
      note += "; SPDX knows \(shown)\(familyMembers.count > 4 ? " and others" : "")"
    }
    self.init(text: text, spdxExpression: nil, note: note)
  }
}

/// A parser for SPDX license expressions.
private struct SPDXExpression {
  private var tokens: ArraySlice<Substring>
  private var depth = 0

  static func isValid(_ text: String) -> Bool {
    guard text.utf8.count <= 4096 else { return false }
    let spaced = text.reduce(into: "") { result, character in
      result += character == "(" || character == ")" ? " \(character) " : String(character)
    }
    var parser = SPDXExpression(tokens: spaced.split(separator: " ")[...])
    return parser.parseExpression() && parser.tokens.isEmpty
  }

  private init(tokens: ArraySlice<Substring>) { self.tokens = tokens }

  private mutating func parseExpression() -> Bool {
    repeat {
      repeat {
        guard parseTerm() else { return false }
      } while accept("AND")
    } while accept("OR")
    return true
  }

  private mutating func parseTerm() -> Bool {
    if accept("(") {
      depth += 1
      defer { depth -= 1 }
      return depth <= 32 && parseExpression() && accept(")")
    }
    guard let name = tokens.popFirst() else { return false }
    let identifier = name.hasSuffix("+") ? name.dropLast() : name
    guard SPDXIdentifiers.licenses.contains(identifier) || identifier.hasPrefix("LicenseRef-")
    else { return false }
    guard accept("WITH") else { return true }
    return tokens.popFirst().map(SPDXIdentifiers.exceptions.contains) ?? false
  }

  private mutating func accept(_ token: Substring) -> Bool {
    guard tokens.first == token else { return false }
    tokens.removeFirst()
    return true
  }
}
