package import Bytes

/// The value of an operator's attribute as it is stored.
package enum AttributeValue: Hashable, Sendable {
  case integer(Int)
  case real(Double)
  case boolean(Bool)
  case string(String)
  case integers([Int])
  case reals([Double])
  case strings([String])
}

/// The attributes of an operator as they are stored: names and values in a fixed order.
package struct Attributes: Hashable, Sendable {
  /// The attributes in the order in which the operator writes them.
  package private(set) var entries: [(name: String, value: AttributeValue)] = []

  /// No attributes.
  package init() {}

  /// Attributes read from a file.
  package init(_ entries: [(name: String, value: AttributeValue)]) { self.entries = entries }

  /// Adds an attribute.
  package mutating func append(_ name: String, _ value: AttributeValue) {
    entries.append((name, value))
  }

  package static func == (lhs: Attributes, rhs: Attributes) -> Bool {
    lhs.entries.elementsEqual(rhs.entries) { $0 == $1 }
  }

  package func hash(into hasher: inout Hasher) {
    for entry in entries {
      hasher.combine(entry.name)
      hasher.combine(entry.value)
    }
  }
}

extension Attributes {
  /// The value of an attribute; `nil` when there is none of that name.
  package subscript(name: String) -> AttributeValue? {
    entries.first { $0.name == name }?.value
  }

  /// The same attributes with real numbers rounded to float32, to compare those of writers that
  /// round with those of writers that do not.
  package var roundedToFloat: Attributes {
    Attributes(
      entries.map { name, value in
        switch value {
        case .real(let number): (name, .real(Double(Float(number))))
        case .reals(let numbers): (name, .reals(numbers.map { Double(Float($0)) }))
        default: (name, value)
        }
      })
  }
}

extension Attributes: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, AttributeValue)...) {
    entries = elements.map { (name: $0.0, value: $0.1) }
  }
}

/// Reads the attributes and subgraphs of an operator; each must be read exactly once.
package struct AttributeReader {
  /// All attributes, including those that were read.
  package let attributes: Attributes
  private let operatorKind: String
  private let acceptsIntegersAsReals: Bool
  private var unread: [String: AttributeValue] = [:]
  private var unreadSubgraphs: ArraySlice<Subgraph>

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - subgraphs: The graphs that the operator runs.
  ///   - acceptsIntegersAsReals: Whether integers are accepted as real numbers, as people write them;
  ///     model files never contain that.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a name occurs twice.
  package init(
    _ attributes: Attributes, of operatorKind: String, subgraphs: [Subgraph] = [],
    acceptsIntegersAsReals: Bool = false
  ) throws(WeighbridgeError) {
    self.attributes = attributes
    unreadSubgraphs = subgraphs[...]
    self.operatorKind = operatorKind
    self.acceptsIntegersAsReals = acceptsIntegersAsReals
    for (name, value) in attributes.entries {
      guard unread.updateValue(value, forKey: name) == nil else {
        throw malformed("the attribute \(name) occurs twice")
      }
    }
  }

  /// Finishes reading.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when an attribute or a subgraph was not read.
  package func finish() throws(WeighbridgeError) {
    guard unreadSubgraphs.isEmpty else {
      throw .unsupported(
        "\(operatorKind) has \(unreadSubgraphs.count.counted("subgraph")) more than it takes")
    }
    guard let name = unread.keys.min() else { return }
    throw .unsupported("\(operatorKind) has an unknown attribute \(name)")
  }

  /// Reads the next subgraph.
  package mutating func subgraph(_ name: String) throws(WeighbridgeError) -> Subgraph {
    guard let subgraph = unreadSubgraphs.popFirst() else {
      throw malformed("the subgraph \(name) is missing")
    }
    return subgraph
  }

  /// Reads an integer.
  package mutating func integer(_ name: String) throws(WeighbridgeError) -> Int {
    guard case .integer(let value) = try take(name) else { throw wrongType(name, "an integer") }
    return value
  }

  /// Reads a number.
  package mutating func real(_ name: String) throws(WeighbridgeError) -> Double {
    switch try take(name) {
    case .real(let value): return value
    case .integer(let value) where acceptsIntegersAsReals: return Double(value)
    default: throw wrongType(name, "a number")
    }
  }

  /// Reads a boolean.
  package mutating func boolean(_ name: String) throws(WeighbridgeError) -> Bool {
    guard case .boolean(let value) = try take(name) else { throw wrongType(name, "a boolean") }
    return value
  }

  /// Reads a string.
  package mutating func string(_ name: String) throws(WeighbridgeError) -> String {
    guard case .string(let value) = try take(name) else { throw wrongType(name, "a string") }
    return value
  }

  /// Takes all attributes whose names begin with `name` and a period, without that prefix.
  package mutating func takeAll(under name: String) -> Attributes {
    let names = unread.keys.filter { $0.hasPrefix("\(name).") }.sorted()
    return Attributes(
      names.compactMap { full in
        unread.removeValue(forKey: full).map { (String(full.dropFirst(name.count + 1)), $0) }
      })
  }

  /// Reads a list of strings.
  package mutating func strings(_ name: String) throws(WeighbridgeError) -> [String] {
    guard case .strings(let values) = try take(name) else {
      throw wrongType(name, "a list of strings")
    }
    return values
  }

  /// Reads a list of integers.
  package mutating func integers(_ name: String) throws(WeighbridgeError) -> [Int] {
    guard case .integers(let values) = try take(name) else {
      throw wrongType(name, "a list of integers")
    }
    return values
  }

  /// Reads a list of numbers.
  package mutating func reals(_ name: String) throws(WeighbridgeError) -> [Double] {
    switch try take(name) {
    case .reals(let values): return values
    case .integers(let values) where acceptsIntegersAsReals: return values.map(Double.init)
    default: throw wrongType(name, "a list of numbers")
    }
  }

  /// Returns an error about the attributes as a whole.
  package func malformed(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.malformed, "\(operatorKind): \(reason)")
  }

  private mutating func take(_ name: String) throws(WeighbridgeError) -> AttributeValue {
    guard let value = unread.removeValue(forKey: name) else {
      throw malformed("the attribute \(name) is missing")
    }
    return value
  }

  private func wrongType(_ name: String, _ expected: String) -> WeighbridgeError {
    malformed("the attribute \(name) is not \(expected)")
  }
}
