package import Bytes
package import GraphIR

extension OperatorDefinition {
  /// The definition of an operator of the catalog, or of ``Opaque``; `nil` for any other.
  package static func of(_ operation: any Operator) -> OperatorDefinition? {
    if let operation = operation as? any CatalogOperator { return type(of: operation).definition }
    return operation is Opaque ? .opaque : nil
  }

  /// Checks the number of an operator's inputs and their element types.
  ///
  /// Attributes need no check: those of an operator that has been read are valid.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they do not match the definition.
  package static func checkInputs(
    of operation: any Operator, _ types: [TensorType]
  ) throws(WeighbridgeError) {
    if let problem = OperatorDefinition.of(operation)?.inputProblems(of: operation, types).first {
      throw .malformed("\(operation.kind): \(problem)")
    }
  }

  /// Returns how an operator with inputs and outputs of given types violates the definition, by its
  /// attributes or by the number or the element types of its inputs and outputs.
  package func problems(
    of operation: any Operator, inputs: [TensorType], outputs: [TensorType]
  ) -> [String] {
    let stored = operation.attributes
    var problems = problems(of: stored) + inputProblems(stored, inputs)
    let expected = self.outputs.flatMap { output in
      (0..<(output.presence.holds(in: stored) ?? true ? stored.count(of: output.countedBy) : 0))
        .map { elementType(output, $0, stored, inputs) }
    }
    if outputs.map(\.elementType) != expected {
      problems.append("the outputs are \(outputs), expected the element types \(expected)")
    }
    return problems
  }

  /// Returns how inputs of given types violate an operator's definition.
  package func inputProblems(of operation: any Operator, _ types: [TensorType]) -> [String] {
    inputProblems(inputs.contains(where: \.needsAttributes) ? operation.attributes : [:], types)
  }

  private func inputProblems(_ stored: Attributes, _ types: [TensorType]) -> [String] {
    let isVariadic = if case .variadic = inputs.first?.slot { true } else { false }
    let expected = inputs.filter { $0.presence.holds(in: stored) ?? true }.flatMap { input in
      Array(repeating: input, count: isVariadic ? types.count : stored.count(of: input.countedBy))
    }
    guard expected.count == types.count else {
      return ["has \(types.count.counted("input")), expected \(expected.map(\.name))"]
    }
    var elementTypes: [String: ElementType] = [:]
    for (input, type) in zip(expected, types) where elementTypes[input.name] == nil {
      elementTypes[input.name] = type.elementType
    }
    return zip(expected, types).compactMap { input, type in
      let fits =
        input.elements.contains(type.elementType, stored, elementTypes)
        && (!isVariadic || input.isMixed || type.elementType == elementTypes[input.name])
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
      case .string(let name): return ElementType(rawValue: name)
      case .strings(let names): return ElementType(rawValue: names[index])
      default: return nil
      }
    }
  }
}

extension Graph {
  /// How nodes violate the definitions of their operators, each message with the node's name.
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
  /// The number of inputs or outputs given by an attribute, which is a number or a list; 1 if there
  /// is none.
  fileprivate func count(of name: String?) -> Int {
    guard let name, let value = self[name] else { return 1 }
    if case .integer(let count) = value { return count }
    return value.count
  }
}

extension InputDefinition {
  /// Whether attributes determine its presence, its number or its element type.
  fileprivate var needsAttributes: Bool {
    switch elements {
    case .by, .sized: return true
    default: if case .always = presence { return countedBy != nil } else { return true }
    }
  }
}

extension ElementClass {
  /// Whether it includes a type, given the attributes and the types of the inputs by name.
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
    case .sized(let name):
      if case .string(let other)? = stored[name], type != .bool {
        type.byteCount == ElementType(rawValue: other)?.byteCount
      } else {
        false
      }
    case .by(let name, let cases):
      cases.contains {
        stored[name] == .string($0.value) && $0.elements.contains(type, stored, types)
      }
    }
  }
}
