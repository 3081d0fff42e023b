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

    What the nodes of a `.wbm` file compute, by `kind` (the op type) and `version`. A reader \
    refuses a kind, a version or an attribute that it does not know, and a node that lacks an \
    attribute; no attribute has a default. There is one version of each kind; lower ones were never released. `operators.json` \
    says the same for programs. Both are made from the operators' definitions \
    (`make generate`), and tests hold these to what a reader takes and what a node makes.

    In the formulas x is an element of the input and y the one of the output at the same \
    position, if nothing else is said; n is an index of the batch and c one of the channels. \
    Attributes are called by their names. A colon alone, as in w[q, :], stands for all indices of \
    an axis. Of several lines for one y the first one counts whose condition holds; a \
    comparison with NaN does not hold. exp, log, tanh and their like are the functions of \
    mathematics, log the natural logarithm; ^ is a power.

    Inputs come in the given order; those that a node does not have are left out. A weight is a \
    constant of the model, any other input may be a constant too. A node has all attributes but \
    those whose condition does not hold. Writers store them in the given order; readers take any.

    A composite operator is also given as a graph of other operators that computes the same, up to \
    rounding; a primitive one is not. Which operators these are may depend on the attributes; \
    all are named.
    """
}

extension OperatorReference {
  /// The description of `operators.json`.
  fileprivate static let dataFormat = """
    # operators.json

    - `element_types`: classes of element types: `float`, `integer`, `number`, `bool`, `any`
    - `operators`: for each kind, sorted:
      - `kind`, `version`; `composite`, and then `decomposition`, the kinds it may consist of
      - `inputs`: `name`; `role` (`data`, `mask`, `indices` or `weight`); `element_types`, which is a \
    class, `same_as` another input, or `by` the value of an attribute; for any number of tensors \
    `variadic`, `minimum_count` and `one_element_type`; `counted_by`, an attribute that says how many \
    such inputs there are (a number, or a list with an entry for each)
      - `outputs`: `name`; `element_type`, which is a type, `same_as` an input, or named by an \
    `attribute`; `counted_by` as for inputs
      - `attributes`, in the order of files: `name`; `type` (`integer`, `real`, `boolean`, `string`, \
    `integers`, `reals` or `strings`); `meaning`; `values` and their `meanings`; \
    `attributes_of_value_under`, the prefix of the attributes of the operator that is named; \
    `constraints`
      - `formula`: its lines
    - `when` says that an input, output or attribute is there only where an `attribute` `is`, or \
    `is_not`, one of some values; `optional`, that it may be missing.
    - `constraints` are on each number, in a list on each entry: `minimum`, `exclusive_minimum`, \
    `maximum`, `minimum_of`, `exclusive_minimum_of` and `maximum_of` (the value of another attribute), \
    `finite`, `not_nan`, `not_zero`; or on the list: `minimum_count`, `maximum_count`, `count_of` \
    (another list, and `count_plus` entries more), `order` (`rising` or `not_falling`), `unique`, \
    `permutation` (of the numbers from 0 on), `at_most_once`; `rule` is one in words.
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
    guard let decomposition else { return "Version \(version), primitive." }
    let links = decomposition.map { "[\($0)](#\($0))" }.joined(separator: ", ")
    return "Version \(version), composite: "
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
