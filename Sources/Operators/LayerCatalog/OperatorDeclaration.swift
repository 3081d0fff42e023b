import GraphIR

/// What is said of an operator once: its definition as data, and how its attributes are stored.
package struct OperatorDeclaration<Operation: CatalogOperator>: Sendable {
  /// The definition as data.
  package let definition: OperatorDefinition
  /// How the attributes are stored.
  package let schema: AttributeSchema<Operation>
  /// The inputs, each with the condition on which it is there, if that is not always.
  private let slots: [(slot: InputSlot, condition: (@Sendable (Operation) -> Bool)?)]
  /// The inputs where none has a condition.
  private let fixedSlots: [InputSlot]?

  /// Declares an operator.
  ///
  /// - Parameter formula: What is computed, as formulas or pseudocode, one step a line.
  package init(
    _ formula: String, inputs: [InputDefinition], outputs: [OutputDefinition],
    attributes: AttributeSchema<Operation>, notions: [Notion] = []
  ) {
    schema = attributes
    definition = OperatorDefinition(
      formula, inputs: inputs, outputs: outputs, attributes: attributes.definitions,
      notions: notions)
    slots = inputs.map { ($0.slot, attributes.condition($0.presence)) }
    fixedSlots = slots.contains { $0.condition != nil } ? nil : inputs.map(\.slot)
  }

  /// Declares an operator of one input and one output of the same element type.
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
    fixedSlots ?? slots.filter { $0.condition?(operation) ?? true }.map(\.slot)
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

  /// Declares an operator without attributes, of one input and one output of the same element type.
  package init(_ formula: String, of elements: ElementClass, notions: [Notion] = []) {
    self.init(formula, of: elements, attributes: AttributeSchema(Operation.init), notions: notions)
  }
}

extension AttributeSchema {
  /// Whether something with a presence is there, for each owner; `nil` where it always is.
  fileprivate func condition(_ presence: Presence) -> (@Sendable (Owner) -> Bool)? {
    let (name, values, isWanted): (String, [AttributeValue], Bool)
    switch presence {
    case .always, .optional: return nil
    case .when(let attribute, let among): (name, values, isWanted) = (attribute, among, true)
    case .unless(let attribute, let among): (name, values, isWanted) = (attribute, among, false)
    }
    let attribute = attributes.first { $0.definition.name == name }
    return { owner in
      (attribute?.value(owner)).map { values.contains($0) == isWanted } ?? !isWanted
    }
  }
}
