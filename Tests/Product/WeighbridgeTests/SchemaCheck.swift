import JSON

/// Checks values against a JSON Schema (2020-12): the keywords that our schemas use, and no others,
/// so that a schema cannot demand what is not checked.
struct SchemaCheck {
  private static let keywords: Set<String> = [
    "$schema", "$id", "$ref", "$defs", "title", "description", "examples", "type", "enum",
    "properties", "required", "additionalProperties", "items", "minimum", "exclusiveMinimum",
  ]

  private let root: JSONValue
  private let others: [String: JSONValue]

  /// - Parameters:
  ///   - root: The schema.
  ///   - others: Schemas that it refers to, by file name.
  init(_ root: JSONValue, others: [String: JSONValue] = [:]) {
    self.root = root
    self.others = others
  }

  /// The violations in a value: a line for each, with its path.
  func problems(_ value: JSONValue) -> [String] { problems(value, root, "") }

  private func problems(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
    guard let rules = schema.object else { return ["\(path): the schema is not an object"] }
    if let name = rules["$ref"]?.string { return resolvedProblems(value, name, path) }
    var problems = rules.keys.filter { !Self.keywords.contains($0) }
      .map { "\(path): the schema's keyword \($0) is not checked" }
    if let type = rules["type"], !Self.types(type).contains(where: { Self.fits(value, $0) }) {
      problems.append("\(path): \(value.typeName) is not \(type.text())")
    }
    if let values = rules["enum"]?.array, !values.contains(value) {
      problems.append("\(path): \(value.text()) is none of \(values.map { $0.text() })")
    }
    if let minimum = rules["minimum"]?.real, let number = value.real, number < minimum {
      problems.append("\(path): \(number) is below \(minimum)")
    }
    if let bound = rules["exclusiveMinimum"]?.real, let number = value.real, number <= bound {
      problems.append("\(path): \(number) is not above \(bound)")
    }
    if let items = rules["items"] {
      for (index, element) in (value.array ?? []).enumerated() {
        problems += self.problems(element, items, "\(path)/\(index)")
      }
    }
    return problems + memberProblems(value, rules, path)
  }

  private func memberProblems(
    _ value: JSONValue, _ rules: JSONObject, _ path: String
  ) -> [String] {
    guard let object = value.object else { return [] }
    let required = rules["required"]?.array?.compactMap(\.string) ?? []
    var problems = required.filter { object[$0] == nil }.map { "\(path)/\($0): is missing" }
    for key in object.keys {
      let path = "\(path)/\(key)"
      if let member = rules["properties"]?.object?[key] {
        problems += self.problems(object[key] ?? .null, member, path)
      } else if let others = rules["additionalProperties"], others.bool == nil {
        problems += self.problems(object[key] ?? .null, others, path)
      } else {
        problems.append("\(path): is not declared")
      }
    }
    return problems
  }

  /// Checks a value against `#/$defs/NAME`, or against another file's schema.
  private func resolvedProblems(_ value: JSONValue, _ name: String, _ path: String) -> [String] {
    if let other = others[name] { return SchemaCheck(other).problems(value, other, path) }
    let prefix = "#/$defs/"
    guard name.hasPrefix(prefix),
      let definition = root.object?["$defs"]?.object?[String(name.dropFirst(prefix.count))]
    else { return ["\(path): the schema \(name) is not there"] }
    return problems(value, definition, path)
  }

  private static func types(_ value: JSONValue) -> [String] {
    value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
  }

  private static func fits(_ value: JSONValue, _ type: String) -> Bool {
    switch type {
    case "object": value.object != nil
    case "array": value.array != nil
    case "string": value.string != nil
    case "number": value.real != nil
    case "integer": value.integer != nil
    case "boolean": value.bool != nil
    case "null": value == .null
    default: false
    }
  }

  /// The paths of all members that a schema declares: `/inputs/*/name`.
  static func members(of schema: JSONValue) -> [(path: String, schema: JSONValue)] {
    let definitions = schema.object?["$defs"]?.object
    func collect(_ schema: JSONValue, _ path: String) -> [(String, JSONValue)] {
      var schema = schema
      if let name = schema.object?["$ref"]?.string, name.hasPrefix("#") {
        schema = definitions?[name.split(separator: "/").last.map(String.init) ?? ""] ?? .null
      }
      var result: [(String, JSONValue)] = []
      let properties = schema.object?["properties"]?.object ?? [:]
      for key in properties.keys {
        let member = properties[key] ?? .null
        result.append(("\(path)/\(key)", member))
        result += collect(member, "\(path)/\(key)")
      }
      if let items = schema.object?["items"] { result += collect(items, "\(path)/*") }
      return result
    }
    return collect(schema, "").map { (path: $0.0, schema: $0.1) }
  }

  /// The paths of all members of a value, in the same form.
  static func members(ofValue value: JSONValue, _ path: String = "") -> Set<String> {
    var result: Set<String> = []
    for element in value.array ?? [] { result.formUnion(members(ofValue: element, "\(path)/*")) }
    for key in value.object?.keys ?? [] {
      result.insert("\(path)/\(key)")
      result.formUnion(members(ofValue: value.object?[key] ?? .null, "\(path)/\(key)"))
    }
    return result
  }
}
