package import GraphIR

extension Attributes {
  /// The value of an attribute; `nil` when there is none of that name.
  package subscript(name: String) -> AttributeValue? {
    entries.first { $0.name == name }?.value
  }
}

extension OperatorDefinition {
  /// What attributes lack to fulfil the definition: each is there where it must be and only there,
  /// in order, of its type, and within its constraints as far as these are no words.
  package func problems(of stored: Attributes) -> [String] {
    var (problems, rest) = ([String](), stored.entries[...])
    for attribute in attributes {
      let value = rest.first.flatMap { $0.name == attribute.name ? $0.value : nil }
      if let isThere = attribute.presence.holds(in: stored), isThere != (value != nil) {
        problems.append("\(attribute.name) is \(isThere ? "missing here" : "too much")")
      }
      guard let value else { continue }
      rest = rest.dropFirst()
      problems += attribute.problems(of: value, in: stored)
      if attribute.namesActivation, case .text(let kind) = value {
        let own = rest.prefix { $0.name.hasPrefix("\(attribute.name).") }
        rest = rest.dropFirst(own.count)
        let names = own.map { (String($0.name.dropFirst(attribute.name.count + 1)), $0.value) }
        problems += Catalog.standard[kind]?.definition.problems(of: Attributes(names)) ?? []
      }
    }
    return problems + rest.map { "\($0.name) is not known, or not in order" }
  }
}

extension AttributeDefinition {
  /// What a value lacks to be one of this attribute.
  package func problems(of value: AttributeValue, in stored: Attributes) -> [String] {
    guard value.type == type else { return ["\(name) is not of the type \(type.rawValue)"] }
    if case .text(let text) = value, !choices.isEmpty,
      !choices.contains(where: { $0.value == text })
    {
      return ["\(name) cannot be \(text)"]
    }
    return constraints.filter { !$0.holds(for: value, in: stored) }.map {
      "\(name) is \(value), and not \($0)"
    }
  }
}

extension Constraint {
  /// Whether a value fulfils it; words are not checked.
  func holds(for value: AttributeValue, in stored: Attributes) -> Bool {
    let (numbers, count) = (value.numbers, value.count)
    func each(_ name: String, _ relation: (Double, Double) -> Bool) -> Bool {
      guard let other = stored[name]?.numbers.first else { return false }
      return numbers.allSatisfy { relation($0, other) }
    }
    return switch self {
    case .atLeast(let bound): numbers.allSatisfy { $0 >= bound }
    case .above(let bound): numbers.allSatisfy { $0 > bound }
    case .atMost(let bound): numbers.allSatisfy { $0 <= bound }
    case .atLeastThat(let name): each(name, >=)
    case .aboveThat(let name): each(name, >)
    case .atMostThat(let name): each(name, <=)
    case .finite: numbers.allSatisfy(\.isFinite)
    case .notNaN: numbers.allSatisfy { !$0.isNaN }
    case .notZero: numbers.allSatisfy { $0 != 0 }
    case .minimumCount(let least): count >= least
    case .maximumCount(let most): count <= most
    case .countOf(let name, let more): count == (stored[name]?.count ?? 0) + more
    case .rising: zip(numbers, numbers.dropFirst()).allSatisfy(<)
    case .notFalling: zip(numbers, numbers.dropFirst()).allSatisfy(<=)
    case .unique: Set(numbers).count == numbers.count
    case .permutation: numbers.sorted() == numbers.indices.map { Double($0) }
    case .atMostOnce(let entry): numbers.count { $0 == Double(entry) } <= 1
    case .rule: true
    }
  }
}

extension AttributeValue {
  /// The type of the value.
  package var type: AttributeDefinition.ValueType {
    switch self {
    case .integer: .integer
    case .real: .real
    case .flag: .boolean
    case .text: .string
    case .integers: .integers
    case .reals: .reals
    case .texts: .strings
    }
  }

  /// How many entries a list has; 1 for what is no list.
  package var count: Int {
    switch self {
    case .integer, .real, .flag, .text: 1
    case .integers(let values): values.count
    case .reals(let values): values.count
    case .texts(let values): values.count
    }
  }

  /// The numbers of the value, one or those of a list.
  fileprivate var numbers: [Double] {
    switch self {
    case .integer(let number): [Double(number)]
    case .real(let number): [number]
    case .integers(let numbers): numbers.map { Double($0) }
    case .reals(let numbers): numbers
    case .flag, .text, .texts: []
    }
  }
}
