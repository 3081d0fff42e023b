import GraphIR

/// The declaration of an operator: its definition as data, and the stored form of its attributes.
package struct OperatorDeclaration<Operation: CatalogOperator>: Sendable {
  /// The definition as data.
  package let definition: OperatorDefinition
  /// The stored form of the attributes.
  package let schema: AttributeSchema<Operation>
  /// The inputs where each is always there.
  private let fixedSlots: [InputSlot]?

  /// Declares an operator.
  ///
  /// - Parameter formula: The computation, as formulas or pseudocode, one step per line.
  package init(
    _ formula: String, inputs: [InputDefinition], outputs: [OutputDefinition],
    attributes: AttributeSchema<Operation>, notions: [Notion] = []
  ) {
    schema = attributes
    definition = OperatorDefinition(
      formula, inputs: inputs, outputs: outputs, attributes: attributes.definitions,
      notions: notions)
    fixedSlots = inputs.allSatisfy(\.presence.isCertain) ? inputs.map(\.slot) : nil
  }

  /// Declares an operator with one input and one output of the same element type.
  package init(
    _ formula: String, of elements: ElementClass, attributes: AttributeSchema<Operation>,
    notions: [Notion] = []
  ) {
    self.init(
      formula, inputs: [.data("input", elements)], outputs: [.like("input")],
      attributes: attributes, notions: notions)
  }

  /// The inputs that an operator has.
  func inputs(of operation: Operation) -> [InputSlot] {
    fixedSlots ?? definition.slots(with: schema.attributes(of: operation))
  }
}

extension OperatorDeclaration where Operation: PlainOperator {
  /// Declares an operator without attributes.
  package init(
    _ formula: String, inputs: [InputDefinition], outputs: [OutputDefinition],
    notions: [Notion] = []
  ) {
    self.init(
      formula, inputs: inputs, outputs: outputs, attributes: AttributeSchema(Operation.init),
      notions: notions)
  }

  /// Declares an operator without attributes, with one input and one output of the same element
  /// type.
  package init(_ formula: String, of elements: ElementClass, notions: [Notion] = []) {
    self.init(formula, of: elements, attributes: AttributeSchema(Operation.init), notions: notions)
  }
}

extension OperatorDefinition {
  /// The inputs of an operator with these attributes.
  fileprivate func slots(with attributes: Attributes) -> [InputSlot] {
    inputs.filter { $0.presence.holds(in: attributes) ?? true }.map(\.slot)
  }
}

extension Presence {
  /// Whether no attribute decides it.
  fileprivate var isCertain: Bool {
    switch self {
    case .always, .optional: true
    case .when, .unless: false
    }
  }
}
