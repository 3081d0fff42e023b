import Bytes
import GraphIR
import LayerCatalog
import Testing
import _CatalogTesting

/// Checks that operators agree with their definitions, on the examples of the catalog.
@Suite struct OperatorDefinitionTests {
  @Test("An example fulfils its definition", arguments: OperatorExample.all)
  func examples(_ example: OperatorExample) throws {
    let (operation, definition) = (example.operation, example.definition)
    let outputs = try operation.checkedOutputTypes(of: example.types)
    #expect(definition.problems(of: operation, inputs: example.types, outputs: outputs) == [])
    let inputs = definition.inputs.filter { $0.presence.holds(in: operation.attributes) ?? true }
    let names = inputs.flatMap { input -> [String] in
      guard let list = input.countedBy, case .integer(let count) = operation.attributes[list] else {
        return [input.name]
      }
      return Array(repeating: input.name, count: count)
    }
    #expect(operation.inputs.map(\.name) == names)
  }

  @Test("The nodes of a decomposition fulfill their definitions", arguments: OperatorExample.all)
  func decompositions(_ example: OperatorExample) throws {
    #expect(try example.decomposed()?.definitionProblems ?? [] == [])
  }

  @Test("Inputs take the element types of the definition", arguments: OperatorExample.all)
  func elementTypes(_ example: OperatorExample) {
    let (operation, definition) = (example.operation, example.definition)
    #expect(definition.inputProblems(of: operation, example.inputs.map(\.type)) == [])
    for position in example.inputs.indices {
      for elementType in ElementType.allCases {
        for types in example.types(with: elementType, at: position) {
          let outputs = try? operation.checkedOutputTypes(of: types)
          if definition.inputProblems(of: operation, types) == [] {
            let problems = outputs.map {
              definition.problems(of: operation, inputs: types, outputs: $0)
            }
            // Subgraphs take the types that they were made for.
            #expect(
              problems == [] || outputs == nil && !operation.subgraphs.isEmpty, "\(types)")
          } else if example.dataPositions.contains(position) {
            // The types of weights are not checked by every shape rule.
            #expect(outputs == nil, "\(types)")
          }
        }
      }
    }
  }

  @Test("Every value of a string attribute is read, and no other")
  func choices() {
    for type in Catalog.all {
      let examples = OperatorExample.all.filter { $0.operation.kind == type.kind }
      for attribute in type.definition.attributes where !attribute.choices.isEmpty {
        for value in attribute.choices.map(\.value) {
          // Some values require other attributes than those of an example.
          let readable = examples.map { $0.attributes(with: attribute.name, value) }.filter {
            examples[0].reads($0)
          }
          #expect(!readable.isEmpty, "\(type.kind): \(attribute.name) = \(value)")
          #expect(readable.flatMap { type.definition.problems(of: $0) } == [])
        }
        let wrong = examples.map { $0.attributes(with: attribute.name, "no such value") }
        #expect(!wrong.contains { examples[0].reads($0) }, "\(type.kind): \(attribute.name)")
      }
    }
  }

  @Test("Values that break a constraint are refused", arguments: OperatorExample.all)
  func constraints(_ example: OperatorExample) {
    let stored = example.operation.attributes
    #expect(example.definition.problems(of: stored) == [])
    for attribute in example.definition.attributes {
      guard let value = stored[attribute.name] else { continue }
      for (constraint, violating) in attribute.constraints.flatMap({
        $0.violations(value, in: stored)
      }) {
        let changed = stored.replacing(attribute.name, violating)
        #expect(example.definition.problems(of: changed) != [], "\(attribute.name) \(violating)")
        #expect(!example.reads(changed), "\(attribute.name) = \(violating), not \(constraint)")
      }
    }
  }

  @Test("The examples have values that break a constraint")
  func violations() {
    let counts = OperatorExample.all.map { example in
      let stored = example.operation.attributes
      return example.definition.attributes.reduce(0) { sum, attribute in
        guard let value = stored[attribute.name] else { return sum }
        return sum + attribute.constraints.flatMap { $0.violations(value, in: stored) }.count
      }
    }
    #expect(counts.reduce(0, +) > 100)
  }

  @Test("Values at the bounds of a constraint are read")
  func bounds() {
    var count = 0
    for type in Catalog.all {
      let examples = OperatorExample.all.filter { $0.operation.kind == type.kind }
      for attribute in type.definition.attributes {
        for constraint in attribute.constraints {
          // Other constraints, also those in words, may exclude a bound, and subgraphs state their numbers.
          let changed = examples.flatMap { example in
            let stored = example.operation.attributes
            let values = stored[attribute.name].map { constraint.bounds($0) } ?? []
            return values.map { stored.replacing(attribute.name, $0) }
          }.filter { type.definition.problems(of: $0) == [] }
          let isRead =
            changed.isEmpty || changed.contains { examples[0].reads($0) }
            || !examples[0].operation.subgraphs.isEmpty
          #expect(isRead, "\(type.kind): \(attribute.name) \(constraint)")
          count += changed.count
        }
      }
    }
    #expect(count > 100)
  }

  /// Attributes that no example has, by kind: no importer produces them.
  private static let withoutExample = [
    "additive_attention": ["window"], "attention": ["window"],
    "conv_lstm": ["padding_before", "padding_after"],
  ]

  @Test("A layer that is not understood fulfils its definition")
  func opaque() throws {
    let outputs = [
      Opaque.Output(elementType: .float32, dimensions: [nil, 3]),
      Opaque.Output(elementType: .int64, dimensions: []),
    ]
    let operation = Opaque(
      className: "Layer", settings: "{}", inputCount: 2, weightNames: ["kernel"], outputs: outputs)
    let inputs = [[2, 3], [2], [4]].map { TensorType(.float32, $0) }
    let definition = try #require(OperatorDefinition.of(operation))
    let types = try operation.checkedOutputTypes(of: inputs)
    #expect(definition.problems(of: operation, inputs: inputs, outputs: types) == [])
    #expect(definition.problems(of: operation, inputs: [inputs[0]], outputs: types) != [])
    #expect(definition.problems(of: operation, inputs: inputs, outputs: types.reversed()) != [])
  }

  @Test("The examples show every input and attribute of the definitions")
  func examplesShowAll() {
    for type in Catalog.all {
      let examples = OperatorExample.all.filter { $0.operation.kind == type.kind }
      let attributes = Set(examples.flatMap { $0.operation.attributes.entries.map(\.name) })
      let slots = Set(examples.flatMap { $0.operation.inputs.map(\.name) })
      let missing = type.definition.attributes.map(\.name).filter { !attributes.contains($0) }
      #expect(missing == Self.withoutExample[type.kind, default: []], "\(type.kind)")
      #expect(type.definition.inputs.map(\.name).filter { !slots.contains($0) } == [])
    }
  }
}

extension OperatorExample {
  fileprivate var definition: OperatorDefinition { Swift.type(of: operation).definition }

  /// The types of the inputs with another element type for one of them, and for all inputs that
  /// have its element type.
  fileprivate func types(with elementType: ElementType, at position: Int) -> [[TensorType]] {
    var one = types
    one[position].elementType = elementType
    let all = types.map { type in
      var type = type
      if type.elementType == types[position].elementType { type.elementType = elementType }
      return type
    }
    return [one, all]
  }

  /// Whether the operator can be read from attributes.
  fileprivate func reads(_ attributes: Attributes) -> Bool {
    let type = Swift.type(of: operation)
    let read = try? Catalog.standard.makeOperator(
      kind: type.kind, version: type.version, attributes: attributes,
      subgraphs: operation.subgraphs)
    return read != nil
  }

  /// The attributes with another value of a string attribute, and with those that this value
  /// requires.
  fileprivate func attributes(with name: String, _ string: String) -> Attributes {
    let changed = operation.attributes.replacing(name, .string(string))
    var result = Attributes()
    for attribute in definition.attributes {
      let value = attribute.name == name ? .string(string) : changed[attribute.name]
      guard attribute.presence.holds(in: changed) ?? (value != nil) else { continue }
      result.append(attribute.name, value ?? attribute.sample(in: changed))
      guard attribute.namesActivation else { continue }
      if attribute.name == name {
        for (attribute, value) in Catalog.sampleAttributes(of: string) {
          result.append("\(name).\(attribute)", value)
        }
      } else {
        for entry in changed.entries where entry.name.hasPrefix("\(attribute.name).") {
          result.append(entry.name, entry.value)
        }
      }
    }
    return result
  }
}

extension Catalog {
  /// Attributes of an activation in a cell with `[batch, units]`.
  fileprivate static func sampleAttributes(
    of kind: String
  ) -> [(name: String, value: AttributeValue)] {
    if standard[kind] is any LanewiseOperator.Type { return [("axes", .integers([1]))] }
    let example = OperatorExample.all.first { $0.operation.kind == kind }
    return example?.operation.attributes.entries ?? []
  }
}

extension AttributeDefinition {
  /// A value for attributes that lack this one.
  fileprivate func sample(in attributes: Attributes) -> AttributeValue {
    var count = 1
    for case .countOf(let name, let more) in constraints {
      count = (attributes[name]?.count ?? 0) + more
    }
    return switch type {
    case .integer: .integer(1)
    case .real: .real(1)
    case .boolean: .boolean(true)
    case .string: .string(choices.first?.value ?? "")
    case .integers: .integers([Int](repeating: 0, count: count))
    case .reals: .reals([Double](repeating: 0, count: count))
    case .strings: .strings([String](repeating: "", count: count))
    }
  }
}

extension Attributes {
  fileprivate func replacing(_ name: String, _ value: AttributeValue) -> Attributes {
    Attributes(entries.map { $0.name == name ? (name, value) : $0 })
  }
}

extension Constraint {
  /// Variants of a value that just satisfy the constraint.
  fileprivate func bounds(_ value: AttributeValue) -> [AttributeValue] {
    let bound: Double
    switch self {
    case .atLeast(let number), .atMost(let number): bound = number
    case .minimumCount(let count):
      switch value {
      case .integers(let values): return [.integers(Array(values.prefix(count)))]
      case .reals(let values): return [.reals(Array(values.prefix(count)))]
      default: return []
      }
    default: return []
    }
    switch value {
    case .integer: return [.integer(Int(bound))]
    case .real: return [.real(bound)]
    case .integers(let values):
      return [.integers(values.prefix(1).map { _ in Int(bound) } + values.dropFirst())]
    case .reals(let values):
      return [.reals(values.prefix(1).map { _ in bound } + values.dropFirst())]
    default: return []
    }
  }

  /// Variants of a value that violate the constraint.
  fileprivate func violations(
    _ value: AttributeValue, in stored: Attributes
  ) -> [(Constraint, AttributeValue)] {
    switch value {
    case .integer:
      violations([0], stored).compactMap {
        $0.first.map { (self, .integer(Int(exactly: $0) ?? .max)) }
      }
    case .real: violations([0], stored).compactMap { $0.first.map { (self, .real($0)) } }
    case .integers(let values):
      violations(values.map { Double($0) }, stored).map {
        (self, .integers($0.map { Int(exactly: $0) ?? .max }))
      }
    case .reals(let values): violations(values, stored).map { (self, .reals($0)) }
    case .boolean, .string, .strings: []
    }
  }

  private func violations(_ values: [Double], _ stored: Attributes) -> [[Double]] {
    func first(_ number: Double) -> [[Double]] {
      values.isEmpty ? [] : [[number] + values.dropFirst()]
    }
    func number(_ name: String) -> Double? {
      switch stored[name] {
      case .integer(let number): Double(number)
      case .real(let number): number
      default: nil
      }
    }
    return switch self {
    case .atLeast(let bound): first(bound - 1)
    case .above(let bound): first(bound)
    case .atMost(let bound): first(bound + 1)
    case .atLeastThat(let name): number(name).map { first($0 - 1) } ?? []
    case .aboveThat(let name): number(name).map { first($0) } ?? []
    case .atMostThat(let name): number(name).map { first($0 + 1) } ?? []
    case .finite: first(.infinity) + first(.nan)
    case .notNaN: first(.nan)
    case .notZero: first(0)
    case .minimumCount(let count): [Array(values.prefix(count - 1))]
    case .maximumCount(let count): [(0...count).map { Double($0 + 1) }]
    case .countOf: [values + [(values.max() ?? 0) + 1]]
    case .strictlyIncreasing, .nonDecreasing: values.count > 1 ? [values.reversed()] : [[2, 1]]
    case .unique: [values + values, [1, 1]]
    case .permutation: values.isEmpty ? [] : [[values[0]] + values, values.map { $0 + 1 }]
    case .atMostOnce(let entry): [[Double(entry), Double(entry)]]
    case .rule: []
    }
  }
}
