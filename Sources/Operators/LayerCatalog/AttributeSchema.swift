package import Bytes
package import GraphIR

/// The stored form of the settings of an operator, or of a group of settings that several operators
/// share. Each attribute is declared once; writing, checked reading and the definition follow from
/// the declaration.
package struct AttributeSchema<Owner>: Sendable {
  /// The definitions of the attributes, in the order in which they are stored.
  private(set) var definitions: [AttributeDefinition] = []
  /// Appends the attributes of an owner, without those that are absent.
  let write: @Sendable (Owner, inout Attributes) -> Void
  /// Reads the attributes and creates their owner.
  private let make: @Sendable (inout AttributeReader) throws(WeighbridgeError) -> Owner
  /// Why an owner is invalid, for rules beyond the constraints of single attributes.
  private var rule: @Sendable (Owner) -> String? = { _ in nil }

  /// Declares the attributes.
  ///
  /// - Parameters:
  ///   - make: Creates the owner from the fields' values, which have already been checked.
  ///   - fields: One for each value, in the order in which they are stored.
  package init<each Value>(
    _ make: @escaping @Sendable (repeat each Value) throws(WeighbridgeError) -> Owner,
    _ fields: repeat AttributeField<Owner, each Value>
  ) {
    for field in repeat each fields { definitions += field.definitions }
    write = { owner, attributes in repeat (each fields).write(owner, &attributes) }
    self.make = { (reader) throws(WeighbridgeError) in
      let values = (repeat try (each fields).read(&reader))
      do throws(WeighbridgeError) {
        return try make(repeat each values)
      } catch { throw reader.malformed(error.reason) }
    }
  }

  /// The same attributes with a rule that involves several of them.
  ///
  /// - Parameter rule: Returns why an owner is invalid; `nil` if it is valid.
  package func checked(_ rule: @escaping @Sendable (Owner) -> String?) -> AttributeSchema {
    var result = self
    result.rule = rule
    return result
  }

  /// The same attributes, each with the concept that explains it.
  package func explained(by concept: Concept) -> AttributeSchema {
    var result = self
    result.definitions = definitions.map { $0.explained(by: concept) }
    return result
  }
}

extension AttributeSchema {
  /// Reads the attributes, checks them and creates their owner.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for an attribute that is missing or invalid.
  package func read(_ reader: inout AttributeReader) throws(WeighbridgeError) -> Owner {
    let owner = try make(&reader)
    if let problem = rule(owner) { throw reader.malformed(problem) }
    return owner
  }

  /// The settings of an owner in their stored form.
  func attributes(of owner: Owner) -> Attributes {
    var result = Attributes()
    write(owner, &result)
    return result
  }

  /// The constraint or rule that an owner violates, as a message; `nil` if it is valid.
  func problem(of owner: Owner) -> String? {
    attributes(of: owner).problem(by: definitions) ?? rule(owner)
  }
}
