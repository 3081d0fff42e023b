/// A token of a description that may contain an expression.
enum ExpressionToken: Hashable {
  /// The variable of the expression: `x`.
  case variable
  case number(Double)
  /// A symbol that may occur in an expression, or `#` for any other character.
  case symbol(Character)
  /// A word between expressions.
  case word(String)
  /// The name of a function, directly before its arguments.
  case call(String)

  /// Characters that end a sentence and have no meaning in an expression.
  private static let punctuation: Set<Character> = [".", ";", "\"", "'", "`", "!", "?"]
  private static let symbols: Set<Character> = ["+", "-", "*", "/", "(", ")", "[", "]", ":", ","]

  var isWord: Bool { if case .word = self { true } else { false } }

  var isCall: Bool { if case .call = self { true } else { false } }

  /// Whether it is a word that implies more computation than the expression next to it.
  var impliesMoreComputation: Bool {
    guard case .word(let word) = self else { return false }
    return ["abs", "clamp", "clip", "exp", "log", "max", "min", "round", "then"].contains {
      word.hasPrefix($0)
    }
  }

  /// The number, when it is an integer.
  var integer: Int? {
    guard case .number(let number) = self else { return nil }
    return Int(exactly: number)
  }

  /// Splits a text into tokens.
  static func tokens(of text: String) -> [ExpressionToken] {
    var tokens: [ExpressionToken] = []
    var rest = Substring(text)
    while let first = rest.first {
      let number = number(rest)
      if let value = Double(number) {
        tokens.append(.number(value))
        rest = rest.dropFirst(number.count)
        if rest.first?.isLetter == true { tokens.append(.symbol("#")) }  // 2x, 1e5
      } else if first.isLetter || first == "_" {
        let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        rest = rest.dropFirst(name.count)
        tokens.append(token(String(name), isCall: rest.first == "("))
      } else {
        rest = rest.dropFirst()
        if symbols.contains(first) {
          tokens.append(.symbol(first))
        } else if first == "=" || first.isNewline || punctuation.contains(first) {
          tokens.append(.word(""))
        } else if !first.isWhitespace {
          tokens.append(.symbol("#"))
        }
      }
    }
    // The parameters of a lambda are equivalent to `return`.
    tokens.replace([.word("lambda"), .variable, .symbol(":")], with: [.word("return")])
    return tokens
  }

  /// The digits at the beginning, with a fraction if there is one; a following ellipsis is not a
  /// fraction.
  private static func number(_ text: Substring) -> Substring {
    let isDigit = { (character: Character) in ("0"..."9").contains(character) }
    let whole = text.prefix(while: isDigit)
    let rest = text.dropFirst(whole.count)
    guard rest.first == "." else { return whole }
    let fraction = rest.dropFirst().prefix(while: isDigit)
    return fraction.isEmpty ? whole : text.prefix(whole.count + 1 + fraction.count)
  }

  private static func token(_ name: String, isCall: Bool) -> ExpressionToken {
    let last = name.split(separator: ".").last.map(String.init) ?? name
    if isCall { return .call(last.lowercased()) }
    return ["x", "x."].contains(name) ? .variable : .word(name.lowercased())
  }
}

/// `scale * x + offset`.
struct LinearExpression: Hashable {
  var scale: Double
  var offset: Double

  static let variable = LinearExpression(scale: 1, offset: 0)

  /// Parses sums, products, quotients and parentheses as long as they are linear in x.
  struct Parser {
    private var tokens: ArraySlice<ExpressionToken>

    /// - Parameter tokens: At most a few hundred tokens, since parentheses may nest that deep.
    init(_ tokens: [ExpressionToken]) { self.tokens = tokens[...] }

    /// All tokens as one expression.
    mutating func whole() -> LinearExpression? {
      guard let result = sum(), tokens.isEmpty else { return nil }
      return result
    }

    private mutating func take(_ symbol: Character) -> Bool {
      guard tokens.first == .symbol(symbol) else { return false }
      tokens.removeFirst()
      return true
    }

    private mutating func sum() -> LinearExpression? {
      guard var result = product() else { return nil }
      while true {
        let sign: Double
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return result }
        guard let next = product() else { return nil }
        result.scale += sign * next.scale
        result.offset += sign * next.offset
      }
    }

    private mutating func product() -> LinearExpression? {
      guard var result = factor() else { return nil }
      while true {
        let isQuotient: Bool
        if take("*") {
          isQuotient = false
        } else if take("/") {
          isQuotient = true
        } else {
          return result
        }
        guard let next = factor() else { return nil }
        if isQuotient {
          guard next.scale == 0, next.offset != 0 else { return nil }
          result.scale /= next.offset
          result.offset /= next.offset
        } else {
          guard next.scale == 0 || result.scale == 0 else { return nil }
          let (number, other) =
            next.scale == 0 ? (next.offset, result) : (result.offset, next)
          result = LinearExpression(scale: number * other.scale, offset: number * other.offset)
        }
      }
    }

    private mutating func factor() -> LinearExpression? {
      if take("-") {
        return factor().map { LinearExpression(scale: -$0.scale, offset: -$0.offset) }
      }
      if take("(") {
        let inner = sum()
        return take(")") ? inner : nil
      }
      switch tokens.popFirst() {
      case .variable: return .variable
      case .number(let number): return LinearExpression(scale: 0, offset: number)
      default: return nil
      }
    }
  }
}
