import Bytes
import ConversionCore
import GraphIR

/// An expression of Python, as text between what it refers to.
struct PythonExpression: Sendable {
  /// A part of an expression.
  enum Piece: Sendable {
    case text(String)
    /// A value that a statement computes, or an input, by its name in the builder.
    case value(String)
    /// A weight that no submodule has, until the builder makes it a member.
    case weight(ExportOperand)
    /// A submodule, a parameter or a buffer, by its position among the members.
    case member(Int)
  }

  private(set) var pieces: [Piece]

  init(_ pieces: [Piece]) { self.pieces = pieces }

  /// The names of the values in it, in order, with repetitions.
  var values: [String] {
    pieces.compactMap { if case .value(let name) = $0 { name } else { nil } }
  }

  /// The positions of the members in it, in order, with repetitions.
  var members: [Int] {
    pieces.compactMap { if case .member(let position) = $0 { position } else { nil } }
  }

  /// Returns the expression with each piece replaced by others.
  func mapping<Failure>(
    _ transform: (Piece) throws(Failure) -> [Piece]
  ) throws(Failure) -> PythonExpression {
    var result: [Piece] = []
    for piece in pieces { result += try transform(piece) }
    return PythonExpression(result)
  }

  /// Returns the expression with another in place of a value, in parentheses where its operators would
  /// otherwise bind to what is around it.
  func replacing(_ name: String, with other: PythonExpression) -> PythonExpression {
    var result: [Piece] = []
    for (position, piece) in pieces.enumerated() {
      guard case .value(name) = piece else {
        result.append(piece)
        continue
      }
      let isArgument = ends(position) && begins(after: position) || pieces.count == 1
      let needsParentheses = !isArgument && !other.isPrimary
      result += needsParentheses ? [.text("(")] + other.pieces + [.text(")")] : other.pieces
    }
    return PythonExpression(result)
  }

  /// Whether an argument or element can begin at a piece.
  private func ends(_ position: Int) -> Bool {
    guard position > 0, case .text(let text) = pieces[position - 1] else { return false }
    return text.hasSuffix("(") || text.hasSuffix("[") || text.hasSuffix(", ")
  }

  /// Whether an argument or element can end at a piece.
  private func begins(after position: Int) -> Bool {
    guard position + 1 < pieces.count, case .text(let text) = pieces[position + 1] else {
      return false
    }
    return [")", "]", ","].contains(text.first)
  }

  /// Whether it is a name, a number, a call or a subscript, which operators around it leave whole.
  private var isPrimary: Bool {
    var depth = 0
    for (position, piece) in pieces.enumerated() {
      guard case .text(let text) = piece else { continue }
      if position == 0, text.hasPrefix("-") || text.hasPrefix("~") { return false }
      for character in text {
        switch character {
        case "(", "[": depth += 1
        case ")", "]": depth -= 1
        case " " where depth == 0: return false
        default: break
        }
      }
    }
    return true
  }

  /// The text, for the names of values and members.
  func text(_ name: (Piece) -> String) -> String {
    pieces.map { piece in
      if case .text(let text) = piece { text } else { name(piece) }
    }.joined()
  }
}

extension PythonExpression: ExpressibleByStringInterpolation {
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces: [Piece] = []

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { pieces.append(.text(literal)) }
    }

    /// A value, or a weight that becomes a member.
    mutating func appendInterpolation(_ operand: ExportOperand) {
      pieces.append(operand.constant == nil ? .value(operand.name) : .weight(operand))
    }

    mutating func appendInterpolation(_ piece: Piece) { pieces.append(piece) }

    mutating func appendInterpolation(_ expression: PythonExpression) {
      pieces += expression.pieces
    }

    mutating func appendInterpolation(_ integer: Int) { appendLiteral("\(integer)") }

    mutating func appendInterpolation(_ flag: Bool) { appendLiteral(PythonLiteral.bool(flag)) }

    mutating func appendInterpolation(_ number: Double) {
      appendLiteral(PythonLiteral.number(number))
    }

    /// The elements, separated by commas.
    mutating func appendInterpolation(_ integers: [Int]) {
      appendLiteral(integers.map(String.init).joined(separator: ", "))
    }

    mutating func appendInterpolation(_ text: String) { appendLiteral(text) }
  }

  init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

  init(stringLiteral: String) { pieces = [.text(stringLiteral)] }

  /// Expressions, separated by commas.
  static func list(_ expressions: [PythonExpression]) -> PythonExpression {
    PythonExpression(
      Array(expressions.map(\.pieces).joined(separator: CollectionOfOne(.text(", ")))))
  }
}
