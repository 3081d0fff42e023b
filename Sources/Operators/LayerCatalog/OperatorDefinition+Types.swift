package import Bytes
package import GraphIR

extension OperatorDefinition {
  /// The definition of an operator of the catalogue, or of ``Opaque``; `nil` for another.
  package static func of(_ operation: any Operator) -> OperatorDefinition? {
    if let operation = operation as? any CatalogOperator { return type(of: operation).definition }
    return operation is Opaque ? .opaque : nil
  }

  /// Checks how many inputs an operator has, and their element types.
  ///
  /// Attributes need no check: an operator that was read has some that its definition allows.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they are not those of the definition.
  package static func checkInputs(
    of operation: any Operator, _ types: [TensorType]
  ) throws(WeighbridgeError) {
    if let problem = OperatorDefinition.of(operation)?.inputProblems(of: operation, types).first {
      throw .malformed("\(operation.kind): \(problem)")
    }
  }

  /// What an operator on inputs and outputs of given types lacks to fulfil the definition: its
  /// attributes, how many inputs and outputs there are, and their element types.
  package func problems(
    of operation: any Operator, inputs: [TensorType], outputs: [TensorType]
  ) -> [String] {
    let stored = operation.attributes
    var problems = problems(of: stored) + inputProblems(stored, inputs)
    let wanted = self.outputs.flatMap { output in
      (0..<(output.presence.holds(in: stored) ?? true ? stored.count(of: output.countedBy) : 0))
        .map { elementType(output, $0, stored, inputs) }
    }
    if outputs.map(\.elementType) != wanted {
      problems.append("the outputs are \(outputs), and the element types \(wanted) are wanted")
    }
    return problems
  }

  /// What inputs of given types lack to be those of an operator.
  package func inputProblems(of operation: any Operator, _ types: [TensorType]) -> [String] {
    inputProblems(inputs.contains(where: \.needsAttributes) ? operation.attributes : [:], types)
  }

  private func inputProblems(_ stored: Attributes, _ types: [TensorType]) -> [String] {
    let isVariadic = if case .variadic = inputs.first?.slot { true } else { false }
    let defined = inputs.filter { $0.presence.holds(in: stored) ?? true }.flatMap { input in
      Array(repeating: input, count: isVariadic ? types.count : stored.count(of: input.countedBy))
    }
    guard defined.count == types.count else {
      return ["there are \(types.count) inputs, and \(defined.map(\.name)) are wanted"]
    }
    var first: [String: ElementType] = [:]
    for (input, type) in zip(defined, types) where first[input.name] == nil {
      first[input.name] = type.elementType
    }
    return zip(defined, types).compactMap { input, type in
      let fits =
        input.elements.contains(type.elementType, stored, first)
        && (!isVariadic || input.isMixed || type.elementType == first[input.name])
      return fits ? nil : "the input \(input.name) is \(type)"
    }
  }

  private func elementType(
    _ output: OutputDefinition, _ index: Int, _ stored: Attributes, _ inputs: [TensorType]
  ) -> ElementType? {
    switch output.elements {
    case .fixed(let type): return type
    case .input(let name):
      let names = self.inputs.filter { $0.presence.holds(in: stored) ?? true }.map(\.name)
      return names.firstIndex(of: name).flatMap { inputs.indices.contains($0) ? inputs[$0] : nil }?
        .elementType
    case .attribute(let name):
      switch stored[name] {
      case .text(let word): return ElementType(rawValue: word)
      case .texts(let words): return ElementType(rawValue: words[index])
      default: return nil
      }
    }
  }
}

extension Graph {
  /// What nodes lack to fulfil the definitions of their operators, each with the node's name.
  package var definitionProblems: [String] {
    nodes.flatMap { node in
      let types = [node.inputs, node.outputs].map { ids in ids.map { values[$0.index].type } }
      let definition = OperatorDefinition.of(node.operation)
      let problems =
        definition?.problems(of: node.operation, inputs: types[0], outputs: types[1])
        ?? ["\(node.operation.kind) has no definition"]
      return problems.map { "\(node.name): \($0)" }
    }
  }
}

extension Attributes {
  /// How many inputs or outputs there are by an attribute, a number or a list; 1 by none.
  fileprivate func count(of name: String?) -> Int {
    guard let name, let value = self[name] else { return 1 }
    if case .integer(let count) = value { return count }
    return value.count
  }
}

extension InputDefinition {
  /// Whether attributes say that it is there, how often, or of which element type it is.
  fileprivate var needsAttributes: Bool {
    if case .by = elements { return true }
    if case .always = presence { return countedBy != nil }
    return true
  }
}

extension ElementClass {
  /// Whether it has a type, for attributes and the types of the inputs by their names.
  fileprivate func contains(
    _ type: ElementType, _ stored: Attributes, _ types: [String: ElementType]
  ) -> Bool {
    switch self {
    case .float: type.isFloat
    case .integer: !type.isFloat && type != .bool
    case .number: type != .bool
    case .bool: type == .bool
    case .any: true
    case .same(let input): types[input] == type
    case .by(let name, let cases):
      cases.contains {
        stored[name] == .text($0.value) && $0.elements.contains(type, stored, types)
      }
    }
  }
}
