package import Bytes
package import GraphIR

/// One setting in an ``AttributeSchema``: an attribute, or the attributes of a part, with the value
/// that is written to and read from them.
package struct AttributeField<Owner, Value>: Sendable {
  /// The definitions of the attributes, in the order in which they are stored.
  private(set) var definitions: [AttributeDefinition]
  /// Appends the attributes of an owner, without those that are absent.
  let write: @Sendable (Owner, inout Attributes) -> Void
  /// Reads the value, and checks it.
  let read: @Sendable (inout AttributeReader) throws(WeighbridgeError) -> Value

  /// The same field with the concept that explains it.
  package func explained(by concept: Concept) -> AttributeField {
    var result = self
    result.definitions = definitions.map { $0.explained(by: concept) }
    return result
  }

  /// The settings of a part with its own schema.
  package static func part(
    _ value: @escaping @Sendable (Owner) -> Value, _ schema: AttributeSchema<Value>
  ) -> AttributeField {
    AttributeField(
      definitions: schema.definitions, write: { schema.write(value($0), &$1) },
      read: { (reader) throws(WeighbridgeError) in try schema.read(&reader) })
  }
}

/// Converts values of a type to and from the stored form of an attribute.
private struct AttributeCodec<Value>: Sendable {
  let encode: @Sendable (Value) -> AttributeValue
  let decode: @Sendable (inout AttributeReader, _ name: String) throws(WeighbridgeError) -> Value

  /// Reads an attribute and checks it.
  func read(
    _ definition: AttributeDefinition, _ reader: inout AttributeReader
  ) throws(WeighbridgeError) -> Value {
    let result = try decode(&reader, definition.name)
    try reader.check(encode(result), against: definition)
    return result
  }

  /// Reads an attribute if its presence rule says that it is there, and checks it.
  func readIfPresent(
    _ definition: AttributeDefinition, _ reader: inout AttributeReader
  ) throws(WeighbridgeError) -> Value? {
    let isPresent = definition.presence.holds(in: reader.attributes)
    guard isPresent ?? (reader.attributes[definition.name] != nil) else { return nil }
    return try read(definition, &reader)
  }
}

extension AttributeField {
  /// A single attribute that is always present.
  private init(
    _ definition: AttributeDefinition, _ value: @escaping @Sendable (Owner) -> Value,
    _ codec: AttributeCodec<Value>
  ) {
    definitions = [definition]
    write = { $1.append(definition.name, codec.encode(value($0))) }
    read = { (reader) throws(WeighbridgeError) in try codec.read(definition, &reader) }
  }

  /// A single attribute whose presence is decided by its rule.
  private init<Wrapped>(
    _ definition: AttributeDefinition, _ value: @escaping @Sendable (Owner) -> Wrapped?,
    _ codec: AttributeCodec<Wrapped>
  ) where Value == Wrapped? {
    definitions = [definition]
    write = { owner, attributes in
      if let value = value(owner) { attributes.append(definition.name, codec.encode(value)) }
    }
    read = { (reader) throws(WeighbridgeError) in try codec.readIfPresent(definition, &reader) }
  }
}

extension AttributeCodec<Int> {
  static let integer = AttributeCodec(encode: AttributeValue.integer) {
    (reader, name) throws(WeighbridgeError) in try reader.integer(name)
  }
}

extension AttributeCodec<Double> {
  static let real = AttributeCodec(encode: AttributeValue.real) {
    (reader, name) throws(WeighbridgeError) in try reader.real(name)
  }
}

extension AttributeCodec<[Int]> {
  static let integers = AttributeCodec(encode: AttributeValue.integers) {
    (reader, name) throws(WeighbridgeError) in try reader.integers(name)
  }
}

extension AttributeCodec where Value: RawRepresentable<String> & Sendable {
  /// A string that the type of the value and a definition validate.
  static func rawValue(_ definition: AttributeDefinition) -> AttributeCodec {
    AttributeCodec(encode: { .string($0.rawValue) }) { (reader, name) throws(WeighbridgeError) in
      let string = try reader.string(name)
      try reader.check(.string(string), against: definition)
      guard let result = Value(rawValue: string) else {
        throw reader.malformed("the attribute \(name) cannot be \(string)")
      }
      return result
    }
  }
}

extension AttributeField where Value == Int {
  package static func integer(
    _ name: String, _ value: @escaping @Sendable (Owner) -> Int, _ meaning: String,
    _ constraints: Constraint...
  ) -> AttributeField {
    AttributeField(AttributeDefinition(name, .integer, meaning, constraints), value, .integer)
  }

  package static func axis(
    _ value: @escaping @Sendable (Owner) -> Int, _ meaning: String = "The axis.",
    name: String = "axis", atLeast minimum: Int = 0
  ) -> AttributeField {
    .integer(name, value, meaning, .atLeast(Double(minimum))).explained(by: .axes)
  }
}

extension AttributeField where Value == Int? {
  package static func integer(
    _ name: String, _ value: @escaping @Sendable (Owner) -> Int?, _ meaning: String,
    _ constraints: Constraint..., presence: Presence
  ) -> AttributeField {
    AttributeField(
      AttributeDefinition(name, .integer, meaning, constraints, presence: presence), value,
      .integer)
  }
}

extension AttributeField where Value == Double {
  package static func real(
    _ name: String, _ value: @escaping @Sendable (Owner) -> Double, _ meaning: String,
    _ constraints: Constraint...
  ) -> AttributeField {
    AttributeField(AttributeDefinition(name, .real, meaning, constraints), value, .real)
  }

  package static func epsilon(
    _ value: @escaping @Sendable (Owner) -> Double
  ) -> AttributeField {
    .real("epsilon", value, "Added under the square root.", .atLeast(0), .finite)
  }
}

extension AttributeField where Value == Double? {
  package static func real(
    _ name: String, _ value: @escaping @Sendable (Owner) -> Double?, _ meaning: String,
    _ constraints: Constraint..., presence: Presence
  ) -> AttributeField {
    AttributeField(
      AttributeDefinition(name, .real, meaning, constraints, presence: presence), value, .real)
  }
}

extension AttributeField where Value == Bool {
  package static func boolean(
    _ name: String, _ value: @escaping @Sendable (Owner) -> Bool, _ meaning: String,
    _ constraints: Constraint...
  ) -> AttributeField {
    AttributeField(
      AttributeDefinition(name, .boolean, meaning, constraints), value,
      AttributeCodec(encode: AttributeValue.boolean) {
        (reader, name) throws(WeighbridgeError) in try reader.boolean(name)
      })
  }

  package static func keepDims(
    _ value: @escaping @Sendable (Owner) -> Bool
  ) -> AttributeField {
    .boolean("keepdims", value, "Whether the output keeps the reduced axes, with size 1.")
  }
}

extension AttributeField where Value == [Int] {
  package static func integers(
    _ name: String, _ value: @escaping @Sendable (Owner) -> [Int], _ meaning: String,
    _ constraints: Constraint...
  ) -> AttributeField {
    AttributeField(AttributeDefinition(name, .integers, meaning, constraints), value, .integers)
  }

  /// Ascending axes.
  package static func axes(
    _ value: @escaping @Sendable (Owner) -> [Int], _ meaning: String, atLeast count: Int = 1
  ) -> AttributeField {
    let counts: [Constraint] = count > 0 ? [.minimumCount(count)] : []
    return AttributeField(
      AttributeDefinition("axes", .integers, meaning, [.atLeast(0), .strictlyIncreasing] + counts),
      value,
      .integers
    ).explained(by: .axes)
  }

  /// The sizes of an output's spatial axes.
  package static func spatialSizes(
    _ name: String, _ value: @escaping @Sendable (Owner) -> [Int]
  ) -> AttributeField {
    .integers(
      name, value, "The output's size along each spatial axis.", .atLeast(1), .sizeLimit,
      .minimumCount(1))
  }
}

extension AttributeField where Value == [Int]? {
  package static func integers(
    _ name: String, _ value: @escaping @Sendable (Owner) -> [Int]?, _ meaning: String,
    _ constraints: Constraint..., presence: Presence
  ) -> AttributeField {
    AttributeField(
      AttributeDefinition(name, .integers, meaning, constraints, presence: presence), value,
      .integers)
  }
}

extension AttributeField where Value == [Double] {
  package static func reals(
    _ name: String, _ value: @escaping @Sendable (Owner) -> [Double], _ meaning: String,
    _ constraints: Constraint...
  ) -> AttributeField {
    AttributeField(
      AttributeDefinition(name, .reals, meaning, constraints), value,
      AttributeCodec(encode: AttributeValue.reals) {
        (reader, name) throws(WeighbridgeError) in try reader.reals(name)
      })
  }
}

extension AttributeField where Value: RawRepresentable<String> & Sendable {
  /// A string that the type of the value validates.
  package static func string(
    _ name: String, _ value: @escaping @Sendable (Owner) -> Value, _ meaning: String,
    _ constraints: Constraint...
  ) -> AttributeField {
    .rawValue(AttributeDefinition(name, .string, meaning, constraints), value)
  }

  private static func rawValue(
    _ definition: AttributeDefinition, _ value: @escaping @Sendable (Owner) -> Value
  ) -> AttributeField {
    AttributeField(definition, value, .rawValue(definition))
  }
}

extension AttributeField where Value: RawRepresentable<String> & CaseIterable & Sendable {
  /// A string that is one of the values of a type, or of some of them.
  package static func choice(
    _ name: String, _ value: @escaping @Sendable (Owner) -> Value, _ meaning: String,
    among values: [Value] = Array(Value.allCases), _ meaningOf: (Value) -> String
  ) -> AttributeField {
    let choices = values.map {
      AttributeDefinition.Choice(value: $0.rawValue, meaning: meaningOf($0))
    }
    return .rawValue(AttributeDefinition(name, .string, meaning, choices: choices), value)
  }
}

extension AttributeField {
  /// A string that is one of some values of a type, and may be absent.
  package static func choice<Choice: RawRepresentable<String> & Sendable>(
    _ name: String, _ value: @escaping @Sendable (Owner) -> Choice?, _ meaning: String,
    among values: [Choice], presence: Presence, _ meaningOf: (Choice) -> String
  ) -> AttributeField where Value == Choice? {
    let choices = values.map {
      AttributeDefinition.Choice(value: $0.rawValue, meaning: meaningOf($0))
    }
    let definition = AttributeDefinition(
      name, .string, meaning, choices: choices, presence: presence)
    return AttributeField(definition, value, .rawValue(definition))
  }
}

extension AttributeField where Value == Subgraph {
  /// A graph that the operator runs, which is stored beside the attributes.
  package static func subgraph(_ name: String) -> AttributeField {
    AttributeField(
      definitions: [], write: { _, _ in },
      read: { (reader) throws(WeighbridgeError) in try reader.subgraph(name) })
  }
}

extension AttributeField where Value == [ElementType] {
  /// The element type of each output.
  package static func elementTypes(
    _ value: @escaping @Sendable (Owner) -> [ElementType]
  ) -> AttributeField {
    let definition = AttributeDefinition(
      "element_types", .strings, "The element type of each output.")
    return AttributeField(
      definition, value,
      AttributeCodec(encode: { .strings($0.map(\.rawValue)) }) {
        (reader, name) throws(WeighbridgeError) in
        let names = try reader.strings(name)
        let types = names.compactMap(ElementType.init(rawValue:))
        guard types.count == names.count else {
          throw reader.malformed("the attribute \(name) is \(names), expected element types")
        }
        return types
      })
  }
}

extension AttributeField where Value == ElementType {
  /// The element type of an output, out of a list.
  package static func elementType(
    _ value: @escaping @Sendable (Owner) -> ElementType,
    among types: [ElementType] = ElementType.allCases
  ) -> AttributeField {
    .choice("element_type", value, "The output's element type.", among: types) { _ in "" }
  }
}

extension AttributeField where Value == DataLayout {
  package static func layout(
    _ value: @escaping @Sendable (Owner) -> DataLayout
  ) -> AttributeField {
    AttributeField.choice("layout", value, "The order of the axes.") {
      switch $0 {
      case .channelsLast: "`[batch, spatial..., channels]`"
      case .channelsFirst: "`[batch, channels, spatial...]`"
      }
    }.explained(by: .layouts)
  }
}
