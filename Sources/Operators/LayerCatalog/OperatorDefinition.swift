package import Bytes
package import GraphIR

/// An operator's definition as data, of which `Schemas/operators.json` and `operators.md` are made.
package struct OperatorDefinition: Sendable {
  /// The inputs in order.
  package let inputs: [InputDefinition]
  /// The outputs in order.
  package let outputs: [OutputDefinition]
  /// The attributes in the order in which they are stored.
  package let attributes: [AttributeDefinition]
  /// What is computed, as formulas or pseudocode, one step a line.
  package let formula: String
  /// What the formula refers to besides the notions of the attributes.
  package let notions: [Notion]

  /// Makes a definition.
  package init(
    _ formula: String, inputs: [InputDefinition], outputs: [OutputDefinition],
    attributes: [AttributeDefinition] = [], notions: [Notion] = []
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.attributes = attributes
    self.formula = formula
    self.notions = notions
  }
}

/// What several operators share, explained once at the top of `operators.md`.
package enum Notion: String, Sendable, CaseIterable {
  case rounding, axes, layouts, windows, borders, broadcasting, lanes, sizes, indices, integers
  case specialNumbers = "special-numbers"
  case attention = "attention-weights"
  case groupedHeads = "grouped-heads"
  case recurrence = "recurrent-steps"
  case activations = "cell-activations"
  case sampling
}

/// Whether an input, an output or an attribute is there, by the values of other attributes.
package enum Presence: Sendable {
  case always
  /// It may be left out, which means what the words say.
  case optional(String)
  /// Where the attribute has one of the values.
  case when(String, [AttributeValue])
  /// Where the attribute has none of the values.
  case unless(String, [AttributeValue])

  /// Where a boolean attribute is true.
  package static func when(_ attribute: String) -> Presence { .when(attribute, [.flag(true)]) }

  /// Whether it holds for given attributes; `nil` when both are possible.
  package func holds(in attributes: Attributes) -> Bool? {
    switch self {
    case .always: true
    case .optional: nil
    case .when(let name, let values): attributes[name].map(values.contains) ?? false
    case .unless(let name, let values): !(attributes[name].map(values.contains) ?? false)
    }
  }
}

/// The element types that an input may have.
package indirect enum ElementClass: Sendable {
  /// Floating-point numbers, integers, all numbers, booleans, all types.
  case float, integer, number, bool, any
  /// That of another input; of a variadic input, that of its first tensor.
  case same(as: String)
  /// By the value of a string attribute.
  case by(String, [(value: String, elements: ElementClass)])

  /// By each value of a string attribute.
  package static func by<Value: RawRepresentable<String> & CaseIterable>(
    _ attribute: String, _ type: Value.Type, _ elements: (Value) -> ElementClass
  ) -> ElementClass {
    .by(attribute, Value.allCases.map { ($0.rawValue, elements($0)) })
  }
}

/// An input of an operator.
package struct InputDefinition: Sendable {
  /// Its slot, for example a weight of this name.
  package let slot: InputSlot
  /// The element types it may have.
  package let elements: ElementClass
  /// Whether it is there.
  package let presence: Presence
  /// Whether it says which elements of another input count.
  package private(set) var isMask = false
  /// The attribute that says how many such inputs there are: a number, or a list with an entry each.
  package var countedBy: String?
  /// Whether the tensors of a variadic input may differ in their element types.
  package private(set) var isMixed = false

  /// The name of its slot.
  package var name: String { slot.name }

  /// A tensor that flows through the model.
  package static func data(
    _ name: String, _ elements: ElementClass, _ presence: Presence = .always
  ) -> InputDefinition {
    InputDefinition(slot: .data(name), elements: elements, presence: presence)
  }

  /// A tensor that flows through the model, whose elements are indices.
  static func indices(
    _ name: String, _ elements: ElementClass, below limit: IndexLimit
  ) -> InputDefinition {
    InputDefinition(slot: .indices(name, below: limit), elements: elements, presence: .always)
  }

  /// Two or more tensors that flow through the model.
  ///
  /// - Parameter isMixed: Whether they may differ in their element types.
  static func variadic(
    _ name: String, _ elements: ElementClass, isMixed: Bool = false
  ) -> InputDefinition {
    var result = InputDefinition(
      slot: .variadic(name, atLeast: 2), elements: elements, presence: .always)
    result.isMixed = isMixed
    return result
  }

  /// A constant of the model.
  package static func weight(
    _ name: String, _ elements: ElementClass = .float, _ presence: Presence = .always
  ) -> InputDefinition {
    InputDefinition(slot: .weight(name), elements: elements, presence: presence)
  }

  /// Floating-point numbers that are a constant of the model.
  package static func weight(_ name: String, _ presence: Presence) -> InputDefinition {
    .weight(name, .float, presence)
  }

  /// A mask of booleans, true for what counts.
  package static func mask(_ presence: Presence = .always) -> InputDefinition {
    var result = data("mask", .bool, presence)
    result.isMask = true
    return result
  }
}

/// An output of an operator.
package struct OutputDefinition: Sendable {
  /// Where its element type comes from.
  package enum Elements: Sendable {
    /// An input of this name; of a variadic one, its first tensor.
    case input(String)
    /// The attribute of this name.
    case attribute(String)
    /// It is always the same.
    case fixed(ElementType)
  }

  /// What it is called in this definition; files do not have this name.
  package let name: String
  /// Where its element type comes from.
  package let elements: Elements
  /// Whether it is there.
  package let presence: Presence
  /// The list of which each entry has such an output, where there are several.
  package let countedBy: String?

  /// An output of the element type of an input.
  package static func like(
    _ input: String, as name: String = "output", _ presence: Presence = .always,
    countedBy list: String? = nil
  ) -> OutputDefinition {
    OutputDefinition(name: name, elements: .input(input), presence: presence, countedBy: list)
  }

  /// An output that always has one element type.
  package static func of(_ type: ElementType, as name: String = "output") -> OutputDefinition {
    OutputDefinition(name: name, elements: .fixed(type), presence: .always, countedBy: nil)
  }

  /// An output of the element type that the attribute `element_type` names.
  package static var ofElementType: OutputDefinition {
    OutputDefinition(
      name: "output", elements: .attribute("element_type"), presence: .always, countedBy: nil)
  }
}
