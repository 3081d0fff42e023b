import Bytes
package import GraphIR

extension OperatorDefinition {
  /// Returns how attributes violate the definition: each must be present exactly when required, in
  /// order, of its type, and within its constraints (rules in words are not checked).
  package func problems(of stored: Attributes) -> [String] {
    var (problems, rest) = ([String](), stored.entries[...])
    for attribute in attributes {
      let value = rest.first.flatMap { $0.name == attribute.name ? $0.value : nil }
      if let isRequired = attribute.presence.holds(in: stored), isRequired != (value != nil) {
        problems.append("\(attribute.name) is \(isRequired ? "missing here" : "too much")")
      }
      guard let value else { continue }
      rest = rest.dropFirst()
      if let problem = attribute.problem(of: value, in: stored) { problems.append(problem) }
      if attribute.namesActivation, case .string(let kind) = value {
        let nested = rest.prefix { $0.name.hasPrefix("\(attribute.name).") }
        rest = rest.dropFirst(nested.count)
        let entries = nested.map { (String($0.name.dropFirst(attribute.name.count + 1)), $0.value) }
        problems += Catalog.standard[kind]?.definition.problems(of: Attributes(entries)) ?? []
      }
    }
    return problems + rest.map { "\($0.name) is not known, or not in order" }
  }
}

extension OperatorDefinition {
  /// Checks the element types of outputs that a file states.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they are not those of the subgraphs.
  static func check(
    _ stated: [ElementType], _ actual: [ElementType]
  ) throws(WeighbridgeError) {
    guard stated != actual else { return }
    throw .malformed(
      "the attribute element_types is \(stated.map(\.rawValue)), and the subgraph gives "
        + "\(actual.map(\.rawValue))")
  }
}

extension AttributeDefinition {
  /// Why a value of this attribute is invalid; `nil` when it is valid.
  package func problem(of value: AttributeValue, in stored: Attributes) -> String? {
    guard value.type == type else {
      return "the attribute \(name) is not of the type \(type.rawValue)"
    }
    if case .string(let string) = value, !choices.isEmpty,
      !choices.contains(where: { $0.value == string })
    {
      let values = choices.map(\.value).joined(separator: ", ")
      return "the attribute \(name) is \(string), and must be one of \(values)"
    }
    return constraints.first { !$0.holds(for: value, in: stored) }.map {
      "the attribute \(name) is \(value.abbreviated), and must \($0.isOfCount ? "have" : "be") "
        + $0.phrase
    }
  }
}

extension AttributeReader {
  /// Checks a value that has been read.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it is invalid.
  func check(
    _ value: AttributeValue, against definition: AttributeDefinition
  ) throws(WeighbridgeError) {
    if let problem = definition.problem(of: value, in: attributes) {
      throw malformed(problem)
    }
  }
}

extension Attributes {
  /// The constraint that an attribute violates, as a message; `nil` if there is none.
  func problem(by definitions: [AttributeDefinition]) -> String? {
    for definition in definitions {
      guard let value = self[definition.name] else { continue }
      if let problem = definition.problem(of: value, in: self) { return problem }
    }
    return nil
  }
}

extension Constraint {
  /// Whether a value satisfies it; rules in words are not checked.
  func holds(for value: AttributeValue, in stored: Attributes) -> Bool {
    switch value {
    case .integer(let number): holds(for: CollectionOfOne(number), in: stored)
    case .real(let number): holds(for: CollectionOfOne(number), in: stored)
    case .integers(let numbers): holds(for: numbers, in: stored)
    case .reals(let numbers): holds(for: numbers, in: stored)
    case .strings(let strings): holds(forCount: strings.count, in: stored) ?? true
    case .boolean, .string: true
    }
  }

  private func holds<Number: AttributeNumber>(
    for numbers: some RandomAccessCollection<Number>, in stored: Attributes
  ) -> Bool {
    func eachSatisfies(_ name: String, _ relation: (Number, Number) -> Bool) -> Bool {
      guard let other = stored[name].flatMap(Number.init) else { return false }
      return numbers.allSatisfy { relation($0, other) }
    }
    let neighbors = zip(numbers, numbers.dropFirst())
    return switch self {
    case .atLeast(let bound): numbers.allSatisfy { $0.double >= bound }
    case .above(let bound): numbers.allSatisfy { $0.double > bound }
    case .atMost(let bound): numbers.allSatisfy { $0.double <= bound }
    case .atLeastThat(let name): eachSatisfies(name, >=)
    case .aboveThat(let name): eachSatisfies(name, >)
    case .atMostThat(let name): eachSatisfies(name, <=)
    case .finite: numbers.allSatisfy(\.double.isFinite)
    case .notNaN: numbers.allSatisfy { !$0.double.isNaN }
    case .notZero: numbers.allSatisfy { $0.double != 0 }
    case .strictlyIncreasing: neighbors.allSatisfy(<)
    case .nonDecreasing: neighbors.allSatisfy(<=)
    case .unique: Set(numbers).count == numbers.count
    case .permutation:
      numbers.sorted().enumerated().allSatisfy { $0.element.double == Double($0.offset) }
    case .atMostOnce(let entry): numbers.count { $0.double == Double(entry) } <= 1
    case .minimumCount, .maximumCount, .countOf, .rule:
      holds(forCount: numbers.count, in: stored) ?? true
    }
  }

  /// Whether a number of entries satisfies it; `nil` if it is not about the number of entries.
  private func holds(forCount count: Int, in stored: Attributes) -> Bool? {
    switch self {
    case .minimumCount(let minimum): count >= minimum
    case .maximumCount(let maximum): count <= maximum
    case .countOf(let name, let more): count == (stored[name]?.count ?? 0) + more
    default: nil
    }
  }
}

/// A number in an attribute. Integers are compared as integers, since `Double` cannot represent all
/// of them.
private protocol AttributeNumber: Comparable, Hashable {
  var double: Double { get }
  /// Creates a single number from a stored value.
  init?(_ value: AttributeValue)
}

extension Int: AttributeNumber {
  fileprivate var double: Double { Double(self) }

  fileprivate init?(_ value: AttributeValue) {
    guard case .integer(let number) = value else { return nil }
    self = number
  }
}

extension Double: AttributeNumber {
  fileprivate var double: Double { self }

  fileprivate init?(_ value: AttributeValue) {
    switch value {
    case .real(let number): self = number
    case .integer(let number): self = Double(number)
    default: return nil
    }
  }
}

extension Constraint {
  /// The constraint in words, for example "at least 1", for messages and `operators.md`.
  package var phrase: String {
    switch self {
    case .atLeast(let bound): "at least \(Self.phrase(bound))"
    case .above(let bound): "above \(Self.phrase(bound))"
    case .atMost(let bound): "at most \(Self.phrase(bound))"
    case .atLeastThat(let name): "at least `\(name)`"
    case .aboveThat(let name): "above `\(name)`"
    case .atMostThat(let name): "at most `\(name)`"
    case .finite: "finite"
    case .notNaN: "not NaN"
    case .notZero: "not 0"
    case .minimumCount(let count): "\(count) or more entries"
    case .maximumCount(let count): count == 1 ? "at most 1 entry" : "at most \(count) entries"
    case .countOf(let name, 0): "as many entries as `\(name)`"
    case .countOf(let name, let more): "as many entries as `\(name)`, plus \(more)"
    case .strictlyIncreasing: "strictly increasing"
    case .nonDecreasing: "non-decreasing"
    case .unique: "distinct entries"
    case .permutation: "each number from 0 to n - 1 exactly once"
    case .atMostOnce(let entry): "at most one \(entry)"
    case .rule(let rule): rule
    }
  }

  /// Whether the phrase follows "have" rather than "be".
  fileprivate var isOfCount: Bool {
    switch self {
    case .minimumCount, .maximumCount, .countOf, .unique, .permutation, .atMostOnce: true
    default: false
    }
  }

  private static func phrase(_ bound: Double) -> String {
    guard let number = Int(exactly: bound) else { return "\(bound)" }
    return number >= 1 << 20 && number & (number - 1) == 0
      ? "2^\(number.trailingZeroBitCount)" : "\(number)"
  }
}

extension AttributeValue {
  /// The type of the value.
  package var type: AttributeDefinition.ValueType {
    switch self {
    case .integer: .integer
    case .real: .real
    case .boolean: .boolean
    case .string: .string
    case .integers: .integers
    case .reals: .reals
    case .strings: .strings
    }
  }

  /// The number of entries of a list; 1 for a value that is not a list.
  package var count: Int {
    switch self {
    case .integer, .real, .boolean, .string: 1
    case .integers(let values): values.count
    case .reals(let values): values.count
    case .strings(let values): values.count
    }
  }

  /// The value for messages; for a long list, only the first entries.
  fileprivate var abbreviated: String {
    func list(_ entries: [some Any]) -> String {
      let shown = entries.prefix(10).map { "\($0)" } + (entries.count > 10 ? ["..."] : [])
      return "[\(shown.joined(separator: ", "))]"
    }
    return switch self {
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .boolean(let value): "\(value)"
    case .string(let value): value
    case .integers(let values): list(values)
    case .reals(let values): list(values)
    case .strings(let values): list(values)
    }
  }
}
