import GraphIR

/// The declaration of an operator: its definition as data, and the stored form of its attributes.
package struct OperatorDeclaration<Operation: CatalogOperator>: Sendable {
  /// The definition as data.
  package let definition: OperatorDefinition
  /// The stored form of the attributes.
  package let schema: AttributeSchema<Operation>
  /// The inputs, if no attribute decides which of them are present.
  private let fixedSlots: [InputSlot]?

  /// Declares an operator.
  ///
  /// - Parameter formula: The computation, as formulas or pseudocode, one step per line.
  package init(
    _ formula: String, inputs: [InputDefinition], outputs: [OutputDefinition],
    attributes: AttributeSchema<Operation>, concepts: [Concept] = []
  ) {
    schema = attributes
    definition = OperatorDefinition(
      formula, inputs: inputs, outputs: outputs, attributes: attributes.definitions,
      concepts: concepts)
    fixedSlots = inputs.allSatisfy(\.presence.isUnconditional) ? inputs.map(\.slot) : nil
  }

  /// Declares an operator with one input and one output of the same element type.
  package init(
    _ formula: String, of elements: ElementClass, attributes: AttributeSchema<Operation>,
    concepts: [Concept] = []
  ) {
    self.init(
      formula, inputs: [.data("input", elements)], outputs: [.like("input")],
      attributes: attributes, concepts: concepts)
  }

  /// The inputs that an operator has with its attributes.
  func inputs(of operation: Operation) -> [InputSlot] {
    fixedSlots ?? definition.slots(with: schema.attributes(of: operation))
  }
}

extension OperatorDeclaration where Operation: PlainOperator {
  /// Declares an operator without attributes.
  package init(
    _ formula: String, inputs: [InputDefinition], outputs: [OutputDefinition],
    concepts: [Concept] = []
  ) {
    self.init(
      formula, inputs: inputs, outputs: outputs, attributes: AttributeSchema(Operation.init),
      concepts: concepts)
  }

  /// Declares an operator without attributes, with one input and one output of the same element
  /// type.
  package init(_ formula: String, of elements: ElementClass, concepts: [Concept] = []) {
    self.init(
      formula, of: elements, attributes: AttributeSchema(Operation.init), concepts: concepts)
  }
}

extension OperatorDefinition {
  /// The inputs of an operator with these attributes.
  fileprivate func slots(with attributes: Attributes) -> [InputSlot] {
    inputs.filter { $0.presence.holds(in: attributes) ?? true }.map(\.slot)
  }
}

extension Presence {
  /// Whether it does not depend on attributes.
  fileprivate var isUnconditional: Bool {
    switch self {
    case .always, .optional: true
    case .when, .unless: false
    }
  }
}
