package import Bytes
package import GraphIR

/// An operator's definition as data, from which `Schemas/operators.json` and `operators.md` are
/// generated.
package struct OperatorDefinition: Sendable {
  /// The inputs, in order.
  package let inputs: [InputDefinition]
  /// The outputs, in order.
  package let outputs: [OutputDefinition]
  /// The attributes in the order in which they are stored.
  package let attributes: [AttributeDefinition]
  /// The computation, as formulas or pseudocode, one step per line.
  package let formula: String
  /// The concepts that the formula refers to, in addition to those of the attributes.
  package let concepts: [Concept]

  /// Creates a definition.
  package init(
    _ formula: String, inputs: [InputDefinition], outputs: [OutputDefinition],
    attributes: [AttributeDefinition] = [], concepts: [Concept] = []
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.attributes = attributes
    self.formula = formula
    self.concepts = concepts
  }
}

/// A concept shared by several operators, explained once at the top of `operators.md`.
package enum Concept: String, Sendable, CaseIterable {
  case rounding, axes, layouts, windows, borders, broadcasting, lanes, sizes, indices, integers
  case specialNumbers = "special-numbers"
  case attention = "attention-weights"
  case groupedHeads = "grouped-heads"
  case recurrence = "recurrent-steps"
  case activations = "cell-activations"
  case sampling
}

/// Whether an input, an output or an attribute is present, depending on the values of other
/// attributes.
package enum Presence: Sendable {
  case always
  /// It may be omitted; the string says what that means.
  case optional(String)
  /// If the attribute has one of the values.
  case when(String, [AttributeValue])
  /// If the attribute has none of the values.
  case unless(String, [AttributeValue])

  /// If a boolean attribute is true.
  package static func when(_ attribute: String) -> Presence { .when(attribute, [.boolean(true)]) }

  /// Whether it is present for given attributes; `nil` if it may be present or absent.
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
  /// Floating-point types, integers, both of these, booleans, or any type.
  case float, integer, number, bool, any
  /// The element type of another input; for a variadic input, that of its first tensor.
  case same(as: String)
  /// Numbers of as many bytes as the element type that a string attribute names.
  case sized(as: String)
  /// A class for each value of a string attribute.
  case by(String, [(value: String, elements: ElementClass)])

  /// A class for each case of the enumeration behind a string attribute.
  package static func by<Value: RawRepresentable<String> & CaseIterable>(
    _ attribute: String, _ type: Value.Type, _ elements: (Value) -> ElementClass
  ) -> ElementClass {
    .by(attribute, Value.allCases.map { ($0.rawValue, elements($0)) })
  }
}

/// An input of an operator.
package struct InputDefinition: Sendable {
  /// Its slot, for example a weight with this name.
  package let slot: InputSlot
  /// The element types it may have.
  package let elements: ElementClass
  /// When it is present.
  package let presence: Presence
  /// Whether it is a mask of the elements of another input.
  package private(set) var isMask = false
  /// The attribute that gives the number of such inputs: a number, or a list with an entry for
  /// each of them.
  package var countedBy: String?
  /// Whether the tensors of a variadic input may have different element types.
  package private(set) var isMixed = false

  /// The name of its slot.
  package var name: String { slot.name }

  /// A tensor that flows through the model.
  package static func data(
    _ name: String, _ elements: ElementClass, _ presence: Presence = .always
  ) -> InputDefinition {
    InputDefinition(slot: .data(name), elements: elements, presence: presence)
  }

  /// As many tensors that flow through the model as an attribute says, of any types.
  static func counted(_ name: String, by attribute: String) -> InputDefinition {
    var result = data(name, .any)
    result.countedBy = attribute
    return result
  }

  /// A tensor that flows through the model, whose elements are indices.
  static func indices(
    _ name: String, _ elements: ElementClass, below limit: IndexLimit
  ) -> InputDefinition {
    InputDefinition(slot: .indices(name, below: limit), elements: elements, presence: .always)
  }

  /// Two or more tensors that flow through the model.
  ///
  /// - Parameter isMixed: Whether they may have different element types.
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

  /// A constant of the model, of floating-point numbers.
  package static func weight(_ name: String, _ presence: Presence) -> InputDefinition {
    .weight(name, .float, presence)
  }

  /// A boolean mask, true for the elements that are used.
  package static func mask(_ presence: Presence = .always) -> InputDefinition {
    var result = data("mask", .bool, presence)
    result.isMask = true
    return result
  }
}

/// An output of an operator.
package struct OutputDefinition: Sendable {
  /// The source of its element type.
  package enum Elements: Sendable {
    /// The input with this name; for a variadic one, its first tensor.
    case input(String)
    /// The attribute with this name.
    case attribute(String)
    /// A fixed type.
    case fixed(ElementType)
  }

  /// The name in this definition; it is not stored in files.
  package let name: String
  /// The source of its element type.
  package let elements: Elements
  /// When it is present.
  package let presence: Presence
  /// The list attribute with an entry for each such output, if there are several.
  package let countedBy: String?

  /// An output with the element type of an input.
  package static func like(
    _ input: String, as name: String = "output", _ presence: Presence = .always,
    countedBy list: String? = nil
  ) -> OutputDefinition {
    OutputDefinition(name: name, elements: .input(input), presence: presence, countedBy: list)
  }

  /// An output with a fixed element type.
  package static func of(_ type: ElementType, as name: String = "output") -> OutputDefinition {
    OutputDefinition(name: name, elements: .fixed(type), presence: .always, countedBy: nil)
  }

  /// Outputs with the element types given by the attribute `element_types`.
  static var ofElementTypes: OutputDefinition {
    OutputDefinition(
      name: "output", elements: .attribute("element_types"), presence: .always,
      countedBy: "element_types")
  }

  /// An output with the element type given by the attribute `element_type`.
  package static var ofElementType: OutputDefinition {
    OutputDefinition(
      name: "output", elements: .attribute("element_type"), presence: .always, countedBy: nil)
  }
}
