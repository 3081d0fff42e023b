/// The value of a simple Python function, as an expression.
package indirect enum PythonExpression: Hashable, Sendable {
  /// An argument of the function, by its position.
  case argument(Int)
  case value(PythonValue)
  /// A name that is not defined in the function: a module, or a variable around it.
  case name(String)
  case attribute(PythonExpression, String)
  case negated(PythonExpression)
  /// Two operands and the operator between them, such as `/`.
  case binary(String, PythonExpression, PythonExpression)
  case item(PythonExpression, PythonExpression)
  case slice([PythonExpression])
  /// A tuple or a list.
  case tuple([PythonExpression])
  case call(PythonExpression, [PythonExpression], named: [String: PythonExpression])

  /// The name with its modules, such as `tf.image.resize`, if it is one.
  package var path: String? {
    switch self {
    case .name(let name): name
    case .attribute(let owner, let name): owner.path.map { "\($0).\(name)" }
    default: nil
    }
  }

  /// The expression as a person would write it in Python.
  ///
  /// - Parameter arguments: The names of the function's arguments.
  package func text(_ arguments: [String]) -> String { text(arguments, isInside: false) }

  private func text(_ arguments: [String], isInside: Bool) -> String {
    func list(_ values: [PythonExpression]) -> String {
      values.map { $0.text(arguments) }.joined(separator: ", ")
    }
    switch self {
    case .argument(let index):
      return arguments.indices.contains(index)
        ? PythonValue.printable(arguments[index]) : "argument \(index)"
    case .value(let value): return value.text()
    case .name(let name): return PythonValue.printable(name)
    case .attribute(let owner, let name):
      return "\(owner.text(arguments, isInside: true)).\(PythonValue.printable(name))"
    case .negated(let operand): return "-\(operand.text(arguments, isInside: true))"
    case .binary(let sign, let left, let right):
      // Python's operators are left-associative; only sums and products are written without
      // brackets.
      let isChain = ["+", "-"].contains(sign) && left.isProduct
      let text =
        "\(left.text(arguments, isInside: !isChain)) \(sign) \(right.text(arguments, isInside: true))"
      return isInside ? "(\(text))" : text
    case .item(let owner, .tuple(let indices)):
      return "\(owner.text(arguments, isInside: true))[\(list(indices))]"
    case .item(let owner, .value(.tuple(let indices))):
      return "\(owner.text(arguments, isInside: true))[\(list(indices.map { .value($0) }))]"
    case .item(let owner, let index):
      return "\(owner.text(arguments, isInside: true))[\(index.text(arguments))]"
    case .slice(let parts):
      return parts.map { $0 == .value(.none) ? "" : $0.text(arguments) }.joined(separator: ":")
    case .tuple(let values): return "(\(list(values))\(values.count == 1 ? "," : ""))"
    case .call(let function, let positional, let named):
      let others = named.sorted { $0.key < $1.key }.map {
        "\(PythonValue.printable($0.key))=\($0.value.text(arguments))"
      }
      let all = positional.map { $0.text(arguments) } + others
      return "\(function.text(arguments, isInside: true))(\(all.joined(separator: ", ")))"
    }
  }

  private var isProduct: Bool {
    if case .binary(let sign, _, _) = self { return ["*", "/", "+", "-"].contains(sign) }
    return false
  }
}
