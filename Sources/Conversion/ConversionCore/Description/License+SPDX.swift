package import GraphIR

extension License {
  /// Makes a license from the string that a user gave: with an SPDX expression when it is one (SPDX
  /// specification 2.3, annex D), else as given, with a note.
  package init(parsing text: String) {
    if SPDXExpression.isValid(text) {
      self.init(text: text, spdxExpression: text, note: nil)
      return
    }
    var note = "not an SPDX license expression"
    let family = SPDXIdentifiers.licenses.filter {
      $0.lowercased().hasPrefix(text.lowercased() + "-")
    }.sorted()
    if !family.isEmpty, !text.isEmpty {
      let shown = family.prefix(4).joined(separator: ", ")
      note += "; SPDX knows \(shown)\(family.count > 4 ? " and others" : "")"
    }
    self.init(text: text, spdxExpression: nil, note: note)
  }
}

/// The grammar of SPDX license expressions.
private struct SPDXExpression {
  private var tokens: ArraySlice<Substring>
  private var depth = 0

  static func isValid(_ text: String) -> Bool {
    guard text.utf8.count <= 4096 else { return false }
    let spaced = text.reduce(into: "") { result, character in
      result += character == "(" || character == ")" ? " \(character) " : String(character)
    }
    var parser = SPDXExpression(tokens: spaced.split(separator: " ")[...])
    return parser.alternatives() && parser.tokens.isEmpty
  }

  private init(tokens: ArraySlice<Substring>) { self.tokens = tokens }

  private mutating func alternatives() -> Bool {
    repeat {
      repeat {
        guard term() else { return false }
      } while take("AND")
    } while take("OR")
    return true
  }

  private mutating func term() -> Bool {
    if take("(") {
      depth += 1
      defer { depth -= 1 }
      return depth <= 32 && alternatives() && take(")")
    }
    guard let name = tokens.popFirst() else { return false }
    let plain = name.hasSuffix("+") ? name.dropLast() : name
    guard SPDXIdentifiers.licenses.contains(plain) || plain.hasPrefix("LicenseRef-") else {
      return false
    }
    guard take("WITH") else { return true }
    return tokens.popFirst().map(SPDXIdentifiers.exceptions.contains) ?? false
  }

  private mutating func take(_ token: Substring) -> Bool {
    guard tokens.first == token else { return false }
    tokens.removeFirst()
    return true
  }
}
