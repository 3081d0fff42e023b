import Bytes
import ConversionCore
import GraphIR

/// The text of a method: calls are nested where that reads well, and a variable is used again where
/// its value is not needed any more.
struct PythonMethodText {
  /// The longest line that nesting may make, without the comment.
  private static let nestingLimit = 84
  /// The longest line that a comment may make.
  private static let commentLimit = 100

  private let method: PythonMethod
  private let members: [PythonMember]
  private var statements: [PythonStatement]
  private var results: [PythonExpression]
  /// The variables of values, by their names in the builder.
  private var variables: [String: String] = [:]
  /// How often each value is still read.
  private var readers: [String: Int] = [:]
  private var names: PythonNames
  private var declared: Set<String>

  init(_ method: PythonMethod, _ members: [PythonMember]) {
    (self.method, self.members) = (method, members)
    statements = method.statements
    results = method.results
    names = PythonNames(reserved: method.parameters.map(\.python))
    declared = Set(method.parameters.map(\.python))
    for parameter in method.parameters { variables[parameter.value] = parameter.python }
    nest()
  }

  /// The lines, without an indent.
  var lines: [String] {
    var text = self
    return text.makeLines()
  }

  // MARK: Nesting

  private func countReaders() -> [String: Int] {
    var readers: [String: Int] = [:]
    for name in statements.flatMap(\.expression.values) + results.flatMap(\.values) {
      readers[name, default: 0] += 1
    }
    return readers
  }

  /// Nests what is computed for one reader into it.
  private mutating func nest() {
    readers = countReaders()
    var kept: [PythonStatement] = []
    /// The positions in `kept` of the statements that may still be nested.
    var open: [String: Int] = [:]
    var isNested: Set<Int> = []
    for var statement in statements {
      for name in statement.expression.values.reversed() {
        guard let position = open[name], readers[name] == 1 else { continue }
        let inner = kept[position]
        let nested = statement.expression.replacing(name, with: inner.expression)
        guard !(statement.isLayer && inner.isLayer), fits(nested, statement) else { continue }
        statement.expression = nested
        statement.isLayer = statement.isLayer || inner.isLayer
        isNested.insert(position)
        open[name] = nil
      }
      if statement.outputs.count == 1 { open[statement.outputs[0]] = kept.count }
      kept.append(statement)
    }
    statements = kept.enumerated().filter { !isNested.contains($0.offset) }.map(\.element)
    readers = countReaders()
  }

  private func fits(_ expression: PythonExpression, _ statement: PythonStatement) -> Bool {
    let text = expression.text { piece in
      if case .member(let position) = piece { "self.\(members[position].name)" } else { "x" }
    }
    let depth = text.reduce(into: (current: 0, largest: 0)) { depth, character in
      if character == "(" { depth.current += 1 }
      if character == ")" { depth.current -= 1 }
      depth.largest = max(depth.largest, depth.current)
    }
    return text.count <= Self.nestingLimit && depth.largest <= 5
  }

  // MARK: Lines

  private mutating func makeLines() -> [String] {
    let parameters = method.parameters.map { ", \($0.python): Tensor" }.joined()
    let types = results.map { _ in "Tensor" }.joined(separator: ", ")
    let type = results.count == 1 ? types : "tuple[\(types)]"
    var lines = ["def \(method.name)(self\(parameters)) -> \(type):"]
    if let text = method.documentation { lines.append("    \"\"\"\(text)\"\"\"") }
    for statement in statements { lines.append("    " + line(statement)) }
    lines.append("    return " + results.map { text($0) }.joined(separator: ", "))
    return lines
  }

  private mutating func line(_ statement: PythonStatement) -> String {
    let text = text(statement.expression)
    for name in statement.expression.values { readers[name, default: 1] -= 1 }
    var targets: [String] = []
    for output in statement.outputs {
      let variable = variable(for: output, in: statement, taken: targets)
      variables[output] = variable
      targets.append(variable)
    }
    let rest = targets.dropFirst().joined(separator: ", ")
    let target =
      statement.groupsRest
      ? "\(targets[0]), (\(rest))" : targets.joined(separator: ", ")
    let isTyped = targets.count == 1 && !declared.contains(target) && text.contains("self.")
    declared.formUnion(targets)
    let line = "\(target)\(isTyped ? ": Tensor" : "") = \(text)"
    let comment = "  # \(statement.types.map { "\($0.shape)" }.joined(separator: ", "))"
    let isDescribed =
      statement.isLayer && !statement.types.isEmpty
      && line.count + comment.count + 8 <= Self.commentLimit
    return line + (isDescribed ? comment : "")
  }

  /// The variable of a value: that of an operand which is not needed any more, or a new one.
  private mutating func variable(
    for output: String, in statement: PythonStatement, taken: [String]
  ) -> String {
    guard readers[output, default: 0] > 0 else { return "_" }
    let live = Set(
      variables.filter { readers[$0.key, default: 0] > 0 && $0.key != output }.values)
    let used = statement.expression.values.compactMap { variables[$0] }
    let free = (used + Self.usual + declared.sorted()).first {
      !live.contains($0) && !taken.contains($0) && $0 != "_"
        && (declared.contains($0) || Self.usual.contains($0))
    }
    return free ?? names.unused("value")
  }

  /// The first variables.
  private static let usual = ["x", "y", "z"]

  private func text(_ expression: PythonExpression) -> String {
    expression.text { piece in
      switch piece {
      case .value(let name): variables[name] ?? name
      case .member(let position): "self.\(members[position].name)"
      case .weight(let operand): operand.name
      case .text(let text): text
      }
    }
  }
}
