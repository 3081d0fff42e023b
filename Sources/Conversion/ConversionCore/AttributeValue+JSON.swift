package import GraphIR
package import JSON

extension AttributeValue {
  /// Reads an attribute's value from JSON; `nil` when the JSON cannot be one.
  package init?(_ json: JSONValue) {
    switch json {
    case .integer(let value): self = .integer(value)
    case .real(let value) where value.isFinite: self = .real(value)
    case .bool(let value): self = .boolean(value)
    case .string(let value): self = .string(value)
    case .array(let list):
      if let integers = Self.mapAll(
        list, { if case .integer(let value) = $0 { value } else { nil } })
      {
        self = .integers(integers)
      } else if let doubles = Self.mapAll(list, \.real), doubles.allSatisfy(\.isFinite) {
        self = .reals(doubles)
      } else if let strings = Self.mapAll(list, \.string) {
        self = .strings(strings)
      } else {
        return nil
      }
    default: return nil
    }
  }

  /// Transforms all elements; `nil` when one of them cannot be transformed.
  private static func mapAll<Element>(
    _ list: [JSONValue], _ transform: (JSONValue) -> Element?
  ) -> [Element]? {
    let elements = list.compactMap(transform)
    return elements.count == list.count ? elements : nil
  }

  /// The value as JSON.
  package var json: JSONValue {
    switch self {
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .boolean(let value): .bool(value)
    case .string(let value): .string(value)
    case .integers(let values): .array(values.map(JSONValue.integer))
    case .reals(let values): .array(values.map(JSONValue.real))
    case .strings(let values): .array(values.map(JSONValue.string))
    }
  }
}
