import Bytes
import GraphIR
import JSON
import LayerCatalog

extension OperatorReference {
  /// The content of `operators.json`.
  var json: JSONValue {
    let classes: [(String, [ElementType])] = [
      ("float", ElementType.allCases.filter(\.isFloat)),
      ("integer", ElementType.allCases.filter { !$0.isFloat && $0 != .bool }),
      ("number", ElementType.allCases.filter { $0 != .bool }),
      ("bool", [.bool]), ("any", ElementType.allCases),
    ]
    return object(
      ("element_types", object(classes.map { ($0, list($1.map(\.rawValue))) })),
      ("operators", .array(entries.map(\.json))))
  }
}

extension OperatorReference.Entry {
  fileprivate var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("kind", .string(kind)), ("version", .integer(version)),
      ("earliest_version", .integer(earliestVersion)),
      ("composite", .bool(decomposition != nil)),
    ]
    if let decomposition { members.append(("decomposition", list(decomposition))) }
    members += [
      ("inputs", .array(definition.inputs.map(json))),
      ("outputs", .array(definition.outputs.map(\.json))),
      ("attributes", .array(definition.attributes.map(\.json))),
      ("formula", list(definition.formula.split(separator: "\n").map(String.init))),
    ]
    return object(members)
  }

  private func json(_ input: InputDefinition) -> JSONValue {
    var members: [(String, JSONValue)] = [("name", .string(input.name))]
    switch slot(of: input) {
    case .weight: members.append(("role", "weight"))
    case .indices: members.append(("role", "indices"))
    case .variadic(_, let minimum):
      members += [
        ("role", "data"), ("variadic", true), ("minimum_count", .integer(minimum)),
        ("one_element_type", .bool(!input.isMixed)),
      ]
    case .data, nil: members.append(("role", input.isMask ? "mask" : "data"))
    }
    if let list = input.countedBy { members.append(("counted_by", .string(list))) }
    return object(members + [("element_types", input.elements.json)] + input.presence.json)
  }
}

extension ElementClass {
  fileprivate var json: JSONValue {
    switch self {
    case .float, .integer, .number, .bool, .any: .string("\(self)")
    case .same(let input): object(("same_as", .string(input)))
    case .sized(let attribute): object(("sized_as", .string(attribute)))
    case .by(let attribute, let cases):
      object(
        ("by", .string(attribute)), ("values", object(cases.map { ($0.value, $0.elements.json) })))
    }
  }
}

extension Presence {
  fileprivate var json: [(String, JSONValue)] {
    switch self {
    case .always: []
    case .optional: [("optional", true)]
    case .when(let name, let values):
      [("when", object(("attribute", .string(name)), ("is", .array(values.map(\.json)))))]
    case .unless(let name, let values):
      [("when", object(("attribute", .string(name)), ("is_not", .array(values.map(\.json)))))]
    }
  }
}

extension OutputDefinition {
  fileprivate var json: JSONValue {
    let source: JSONValue =
      switch elements {
      case .input(let name): object(("same_as", .string(name)))
      case .attribute(let name): object(("attribute", .string(name)))
      case .fixed(let type): .string(type.rawValue)
      }
    var members: [(String, JSONValue)] = [("name", .string(name)), ("element_type", source)]
    if let countedBy { members.append(("counted_by", .string(countedBy))) }
    return object(members + presence.json)
  }
}

extension AttributeDefinition {
  fileprivate var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("name", .string(name)), ("type", .string(type.rawValue)), ("meaning", .string(meaning)),
    ]
    if !choices.isEmpty { members.append(("values", list(choices.map(\.value)))) }
    let meanings = choices.filter { !$0.meaning.isEmpty }
    if !meanings.isEmpty {
      let pairs = meanings.map { ($0.value, JSONValue.string($0.meaning)) }
      members.append(("meanings", object(pairs)))
    }
    if namesActivation { members.append(("attributes_of_value_under", .string("\(name)."))) }
    if !constraints.isEmpty { members.append(("constraints", object(constraints.flatMap(\.json)))) }
    return object(members + presence.json)
  }
}

extension Constraint {
  fileprivate var json: [(String, JSONValue)] {
    switch self {
    case .atLeast(let bound): [("minimum", number(bound))]
    case .above(let bound): [("exclusive_minimum", number(bound))]
    case .atMost(let bound): [("maximum", number(bound))]
    case .atLeastThat(let name): [("minimum_of", .string(name))]
    case .aboveThat(let name): [("exclusive_minimum_of", .string(name))]
    case .atMostThat(let name): [("maximum_of", .string(name))]
    case .finite: [("finite", true)]
    case .notNaN: [("not_nan", true)]
    case .notZero: [("not_zero", true)]
    case .minimumCount(let count): [("minimum_count", .integer(count))]
    case .maximumCount(let count): [("maximum_count", .integer(count))]
    case .countOf(let name, 0): [("count_of", .string(name))]
    case .countOf(let name, let more):
      [("count_of", .string(name)), ("count_plus", .integer(more))]
    case .strictlyIncreasing: [("order", "strictly_increasing")]
    case .nonDecreasing: [("order", "non_decreasing")]
    case .unique: [("unique", true)]
    case .permutation: [("permutation", true)]
    case .atMostOnce(let entry): [("at_most_once", .integer(entry))]
    case .rule(let rule): [("rule", .string(rule))]
    }
  }
}

extension AttributeValue {
  fileprivate var json: JSONValue {
    switch self {
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .boolean(let value): .bool(value)
    case .string(let value): .string(value)
    case .integers(let values): .array(values.map { .integer($0) })
    case .reals(let values): .array(values.map { .real($0) })
    case .strings(let values): list(values)
    }
  }
}

private func number(_ value: Double) -> JSONValue {
  Int(exactly: value).map { .integer($0) } ?? .real(value)
}

private func list(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }

private func object(_ members: (String, JSONValue)...) -> JSONValue { object(members) }

private func object(_ members: [(String, JSONValue)]) -> JSONValue {
  var object = JSONObject()
  for (name, value) in members { object[name] = value }
  return .object(object)
}
