import Bytes
import GraphIR
import LayerCatalog

extension OperatorReference {
  /// The text of `operators.md`.
  var markdown: String {
    let concepts = Concept.allCases.map { "## \($0.title)\n\n\($0.text)" }
    let contents = entries.map { "[\($0.kind)](#\($0.kind))" }.joined(separator: ", ")
    return
      ([Self.introduction, "# Common concepts"] + concepts + ["# Operators", contents]
      + entries.map(\.markdown) + [Self.dataFormat]).joined(separator: "\n\n") + "\n"
  }

  private static let introduction = """
    # Operators of .wbm files

    What each node of a `.wbm` file computes, by its `kind` (the op type) and `version`. Readers \
    reject unknown kinds, versions and attributes, and nodes that lack a required attribute; \
    attributes have no defaults. Each kind has one version; an earlier one is read only if that is \
    said, and then differs in rounding alone. Others were never released. \
    `operators.json` has the same content for programs. Both files are generated from the \
    operators' definitions (`make generate`), and tests compare the definitions with what readers \
    accept and what nodes compute.

    In the formulas, x is an element of the input and y the element of the output at the same \
    position, unless stated otherwise; n is an index along the batch and c one along the channels. \
    Attributes appear under their names. A colon alone, as in w[q, :], stands for all indices of \
    an axis. Where several lines define y, the first whose condition holds applies; a comparison \
    with NaN does not hold. exp, log (natural), tanh and so on are the mathematical functions; ^ \
    is exponentiation.

    Inputs appear in the given order, without those that the node does not have. A weight is \
    always a constant of the model; other inputs may be constants too. A node has every attribute \
    whose condition holds, except that optional ones may be missing, and no other. Writers store \
    attributes in the given order; readers accept any order.

    A composite operator is also defined by a graph of other operators that computes the same \
    result, up to rounding; a primitive operator is not. Which operators the graph contains may \
    depend on the attributes; all that can occur are listed.
    """
}

extension OperatorReference {
  /// The description of `operators.json`.
  fileprivate static let dataFormat = """
    # operators.json

    - `element_types`: classes of element types: `float`, `integer`, `number`, `bool`, `any`
    - `operators`: for each kind, sorted:
      - `kind`, `version`, `earliest_version` that is read; `composite`, and then `decomposition`, the kinds it may consist of
      - `inputs`: `name`; `role` (`data`, `mask`, `indices` or `weight`); `element_types`, which is a \
    class, `same_as` another input, numbers of as many bytes as the type in an attribute \
    (`sized_as`), or `by` the value of an attribute; for any number of tensors \
    `variadic`, `minimum_count` and `one_element_type`; `counted_by`, an attribute that says how many \
    such inputs there are (a number, or a list with an entry for each)
      - `outputs`: `name`; `element_type`, which is a type, `same_as` an input, or named by an \
    `attribute`; `counted_by` as for inputs
      - `attributes`, in the order of files: `name`; `type` (`integer`, `real`, `boolean`, `string`, \
    `integers`, `reals` or `strings`); `meaning`; `values` and their `meanings`; \
    `attributes_of_value_under`, the prefix of the attributes of the operator that is named; \
    `constraints`
      - `formula`: its lines
    - `when`: the input, output or attribute exists only if an `attribute` `is`, or `is_not`, one \
    of some values; `optional`: it may be missing.
    - `constraints` apply to a number or to each entry of a list: `minimum`, `exclusive_minimum`, \
    `maximum`, `minimum_of`, `exclusive_minimum_of` and `maximum_of` (the value of another attribute), \
    `finite`, `not_nan`, `not_zero`; or to the list itself: `minimum_count`, `maximum_count`, `count_of` \
    (as many entries as another list, plus `count_plus`), `order` (`strictly_increasing` or `non_decreasing`), `unique`, \
    `permutation` (of the numbers from 0 on), `at_most_once`; `rule` is a constraint in words.
    """
}

extension OperatorReference.Entry {
  fileprivate var markdown: String {
    var sections = ["## \(kind)", summary, description, "```text\n\(definition.formula)\n```"]
    sections.append(
      "Inputs:\n" + definition.inputs.map(line).joined(separator: "\n"))
    sections.append("Outputs:\n" + definition.outputs.map(\.line).joined(separator: "\n"))
    if !definition.attributes.isEmpty {
      let header = [
        "| attribute | type | meaning | constraints | present |", "|---|---|---|---|---|",
      ]
      sections.append((header + definition.attributes.map(\.row)).joined(separator: "\n"))
    }
    let concepts = concepts.map(\.link)
    if !concepts.isEmpty { sections.append("See \(concepts.joined(separator: ", ")).") }
    return sections.joined(separator: "\n\n")
  }

  private var summary: String {
    if kind == Opaque.kind { return "Version \(version). It cannot be computed." }
    let earlier = earliestVersion < version ? " (read from \(earliestVersion) on)" : ""
    guard let decomposition else { return "Version \(version)\(earlier), primitive." }
    let links = decomposition.map { "[\($0)](#\($0))" }.joined(separator: ", ")
    return "Version \(version)\(earlier), composite: "
      + (decomposition.isEmpty ? "no operator is needed." : "\(links).")
  }

  private func line(_ input: InputDefinition) -> String {
    var phrases = ["`\(input.name)`: "]
    switch slot(of: input) {
    case .weight: phrases[0] += "weight"
    case .indices: phrases[0] += "indices"
    case .variadic(_, let minimum):
      phrases[0] += "\(minimum) or more tensors" + (input.isMixed ? "" : " of one element type")
    case .data, nil: phrases[0] += input.isMask ? "mask" : "data"
    }
    phrases.append(input.elements.phrase)
    if let list = input.countedBy { phrases.append("as many as `\(list)` says") }
    return "- " + (phrases + input.presence.phrases).joined(separator: ", ")
  }
}

extension OutputDefinition {
  fileprivate var line: String {
    let source =
      switch elements {
      case .input(let name): "the element type of `\(name)`"
      case .attribute(let name): "the element type that `\(name)` names"
      case .fixed(let type): type.rawValue
      }
    let count = countedBy.map { ["one for each entry of `\($0)`"] } ?? []
    return "- `\(name)`: " + ([source] + count + presence.phrases).joined(separator: ", ")
  }
}

extension ElementClass {
  fileprivate var phrase: String {
    switch self {
    case .float: "floating-point"
    case .integer: "integer"
    case .number: "floating-point or integer"
    case .bool: "bool"
    case .any: "any element type"
    case .same(let input): "the element type of `\(input)`"
    case .sized(let attribute):
      "floating-point or integer, of as many bytes as the type in attribute `\(attribute)`"
    case .by(let attribute, let cases): Self.phrase(attribute, cases)
    }
  }

  private static func phrase(
    _ attribute: String, _ cases: [(value: String, elements: ElementClass)]
  ) -> String {
    var groups: [(phrase: String, values: [String])] = []
    for (value, elements) in cases {
      if let index = groups.firstIndex(where: { $0.phrase == elements.phrase }) {
        groups[index].values.append("`\(value)`")
      } else {
        groups.append((elements.phrase, ["`\(value)`"]))
      }
    }
    groups.sort { $0.values.count < $1.values.count }
    let last = groups.removeLast()
    return groups.map {
      "\($0.phrase) where attribute `\(attribute)` is \($0.values.joined(separator: ", "))"
    }
    .joined(separator: "; ") + "; otherwise \(last.phrase)"
  }
}

extension Presence {
  fileprivate var phrases: [String] {
    switch self {
    case .always: []
    case .optional(let absence): ["optional; without it \(absence)"]
    case .when(let name, let values):
      ["where attribute `\(name)` is \(values.map(\.markdown).joined(separator: " or "))"]
    case .unless(let name, let values):
      ["where attribute `\(name)` is not \(values.map(\.markdown).joined(separator: " or "))"]
    }
  }
}

extension AttributeValue {
  fileprivate var markdown: String {
    switch self {
    case .boolean(let value): "\(value)"
    case .string(""): "empty"
    case .string(let string): "`\(string)`"
    default: "\(self)"
    }
  }
}

extension AttributeDefinition {
  fileprivate var row: String {
    let meaning = [meaning, values].filter { !$0.isEmpty }.joined(separator: " ")
    let limits = constraints.map(\.phrase).joined(separator: "; ")
    let cells = ["`\(name)`", type.phrase, meaning, limits, presence.phrases.first ?? "always"]
    return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
  }

  /// The possible values with their meanings, for a table cell.
  private var values: String {
    if choices.isEmpty { return "" }
    let links = namesActivation ? choices.map { "[\($0.value)](#\($0.value))" } : []
    guard links.isEmpty else { return "One of: \(links.joined(separator: ", "))." }
    if choices.allSatisfy(\.meaning.isEmpty) {
      return "One of: \(choices.map { "`\($0.value)`" }.joined(separator: ", "))."
    }
    return choices.map { "<br>`\($0.value)`: \($0.meaning)" }.joined()
  }
}

extension AttributeDefinition.ValueType {
  fileprivate var phrase: String {
    switch self {
    case .integer, .real, .boolean, .string: rawValue
    case .integers: "list of integers"
    case .reals: "list of reals"
    case .strings: "list of strings"
    }
  }
}

extension Concept {
  fileprivate var link: String {
    "[\(title.prefix(1).lowercased() + title.dropFirst())](#\(rawValue))"
  }
}
