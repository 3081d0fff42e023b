/// The value of a simple Python function, as an expression.
package indirect enum PythonExpression: Hashable, Sendable {
  /// An argument of the function, by its index.
  case argument(Int)
  case value(PythonValue)
  /// A name that is not defined in the function: a module or another global variable.
  case name(String)
  /// A variable of an enclosing function, with its index in the closure.
  case captured(Int, String)
  case attribute(PythonExpression, String)
  case negated(PythonExpression)
  /// An operator such as `/`, and its left and right operands.
  case binary(String, PythonExpression, PythonExpression)
  case item(PythonExpression, PythonExpression)
  /// One of several values into which another is unpacked, by its index and their number.
  case part(PythonExpression, Int, of: Int)
  case slice([PythonExpression])
  /// A tuple or a list.
  case tuple([PythonExpression])
  case call(PythonExpression, [PythonExpression], named: [String: PythonExpression])

  /// The dotted name, such as `tf.image.resize`, if the expression is one.
  package var path: String? {
    switch self {
    case .name(let name): name
    case .attribute(let base, let name): base.path.map { "\($0).\(name)" }
    default: nil
    }
  }

  /// The expression as a person would write it in Python.
  ///
  /// - Parameter arguments: The names of the function's arguments.
  package func text(_ arguments: [String]) -> String { text(arguments, as: .whole) }

  /// Python 2's `/`, which rounds the quotient of integers down.
  package static let classicDivision = "/ of Python 2"

  /// The position in the enclosing expression, which decides whether parentheses are needed.
  private enum Role {
    /// The whole expression, or a part between commas or brackets.
    case whole
    /// An operand.
    case operand
    /// The left operand of `**`, or the expression before `.`, `[` or `(`, which bind more tightly
    /// than a minus sign.
    case base
  }

  private func text(_ arguments: [String], as role: Role) -> String {
    func list(_ values: [PythonExpression]) -> String {
      values.map { $0.text(arguments) }.joined(separator: ", ")
    }
    switch self {
    case .argument(let index):
      return arguments.indices.contains(index)
        ? PythonValue.printable(arguments[index]) : "argument \(index)"
    case .value(let value):
      let text = value.text()
      return role == .base && value.number != nil && text.hasPrefix("-") ? "(\(text))" : text
    case .name(let name), .captured(_, let name): return PythonValue.printable(name)
    case .attribute(let base, let name):
      return "\(base.text(arguments, as: .base)).\(PythonValue.printable(name))"
    case .negated(let operand):
      let text = "-\(operand.text(arguments, as: .operand))"
      return role == .base ? "(\(text))" : text
    case .binary(let symbol, let left, let right):
      let text = binaryText(symbol, left, right, arguments)
      return role == .whole ? text : "(\(text))"
    case .part(let base, let index, _):
      return "\(base.text(arguments, as: .base))[\(index)]"
    case .item(let base, .tuple(let indices)):
      return "\(base.text(arguments, as: .base))[\(list(indices))]"
    case .item(let base, .value(.tuple(let indices))):
      return "\(base.text(arguments, as: .base))[\(list(indices.map { .value($0) }))]"
    case .item(let base, let index):
      return "\(base.text(arguments, as: .base))[\(index.text(arguments))]"
    case .slice(let bounds):
      return bounds.map { $0 == .value(.none) ? "" : $0.text(arguments) }.joined(separator: ":")
    case .tuple(let values): return "(\(list(values))\(values.count == 1 ? "," : ""))"
    case .call(let function, let positional, let named):
      let keywords = named.sorted { $0.key < $1.key }.map {
        "\(PythonValue.printable($0.key))=\($0.value.text(arguments))"
      }
      let all = positional.map { $0.text(arguments) } + keywords
      return "\(function.text(arguments, as: .base))(\(all.joined(separator: ", ")))"
    }
  }

  private func binaryText(
    _ symbol: String, _ left: PythonExpression, _ right: PythonExpression, _ arguments: [String]
  ) -> String {
    // These operators are left-associative: the left operand of a sum needs no parentheses.
    let isSum = ["+", "-"].contains(symbol) && left.isArithmetic
    let lhs = left.text(arguments, as: isSum ? .whole : symbol == "**" ? .base : .operand)
    let written = symbol == Self.classicDivision ? "/" : symbol
    return "\(lhs) \(written) \(right.text(arguments, as: .operand))"
  }

  private var isArithmetic: Bool {
    if case .binary(let symbol, _, _) = self {
      return ["*", "/", "+", "-", Self.classicDivision].contains(symbol)
    }
    return false
  }
}
