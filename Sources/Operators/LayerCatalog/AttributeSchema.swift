package import Bytes
package import GraphIR

/// How the settings of an operator, or of a part that several operators have, are stored: each
/// attribute is declared once, and from this come its writing, its checked reading and its definition.
package struct AttributeSchema<Owner>: Sendable {
  /// The attributes in the order in which they are stored.
  private(set) var attributes: [StoredAttribute<Owner>] = []
  /// Reads the attributes and makes their owner.
  private let make: @Sendable (inout AttributeReader) throws(WeighbridgeError) -> Owner
  /// Why an owner cannot be, where that is more than a constraint of one attribute.
  private var rule: @Sendable (Owner) -> String? = { _ in nil }

  /// Declares the attributes.
  ///
  /// - Parameters:
  ///   - make: Makes the owner of the fields' values, which have been checked by then.
  ///   - fields: One for each value, in the order in which they are stored.
  package init<each Value>(
    _ make: @escaping @Sendable (repeat each Value) throws(WeighbridgeError) -> Owner,
    _ fields: repeat AttributeField<Owner, each Value>
  ) {
    for field in repeat each fields { attributes += field.attributes }
    self.make = { (reader) throws(WeighbridgeError) in
      let values = (repeat try (each fields).read(&reader))
      do throws(WeighbridgeError) {
        return try make(repeat each values)
      } catch { throw reader.malformed(error.reason) }
    }
  }

  /// The same attributes with a rule for all of them together.
  ///
  /// - Parameter rule: Says why an owner cannot be; `nil` where it can.
  package func checked(_ rule: @escaping @Sendable (Owner) -> String?) -> AttributeSchema {
    var result = self
    result.rule = rule
    return result
  }

  /// The same attributes, each with the notion that explains it.
  package func explained(by notion: Notion) -> AttributeSchema {
    var result = self
    result.attributes = attributes.map { $0.explained(by: notion) }
    return result
  }
}

extension AttributeSchema {
  /// Reads the attributes, checks them and makes their owner.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for an attribute that is missing or cannot be.
  package func read(_ reader: inout AttributeReader) throws(WeighbridgeError) -> Owner {
    let owner = try make(&reader)
    if let problem = rule(owner) { throw reader.malformed(problem) }
    return owner
  }

  /// The definitions of the attributes.
  var definitions: [AttributeDefinition] { attributes.map(\.definition) }

  /// The settings of an owner in their stored form.
  func attributes(of owner: Owner) -> Attributes {
    var result = Attributes()
    for attribute in attributes {
      guard let value = attribute.value(owner) else { continue }
      result.append(attribute.definition.name, value)
      guard let ofActivation = attribute.ofActivation else { continue }
      for (name, value) in ofActivation(owner).entries {
        result.append("\(attribute.definition.name).\(name)", value)
      }
    }
    return result
  }

  /// Why an owner cannot be, if it cannot: its attributes break a constraint or a rule.
  func problem(of owner: Owner) -> String? {
    let stored = attributes(of: owner)
    for attribute in attributes {
      guard let value = attribute.value(owner) else { continue }
      if let problem = attribute.definition.problem(of: value, in: stored) { return problem }
    }
    return rule(owner)
  }
}

/// An attribute, and where an operator, or a part of one, has its value.
struct StoredAttribute<Owner>: Sendable {
  /// What is said of it.
  private(set) var definition: AttributeDefinition
  /// Its value; `nil` where it is absent.
  let value: @Sendable (Owner) -> AttributeValue?
  /// The attributes of the activation that the value names, which are stored under `name.`.
  private(set) var ofActivation: (@Sendable (Owner) -> Attributes)?

  init(
    _ definition: AttributeDefinition,
    ofActivation: (@Sendable (Owner) -> Attributes)? = nil,
    _ value: @escaping @Sendable (Owner) -> AttributeValue?
  ) {
    (self.definition, self.value, self.ofActivation) = (definition, value, ofActivation)
  }

  /// With the notion that explains it.
  func explained(by notion: Notion) -> StoredAttribute {
    var result = self
    result.definition = definition.explained(by: notion)
    return result
  }

  /// The attribute of a part, as one of the whole.
  func lifted<Whole>(_ part: @escaping @Sendable (Whole) -> Owner) -> StoredAttribute<Whole> {
    let (value, own) = (value, ofActivation)
    var result = StoredAttribute<Whole>(definition) { value(part($0)) }
    if let own { result.ofActivation = { own(part($0)) } }
    return result
  }
}
