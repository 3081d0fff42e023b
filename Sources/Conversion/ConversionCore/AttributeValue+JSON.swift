package import GraphIR
package import JSON

extension AttributeValue {
  /// The value that a JSON value represents; `nil` when it represents none.
  package init?(_ json: JSONValue) {
    switch json {
    case .integer(let value): self = .integer(value)
    case .real(let value) where value.isFinite: self = .real(value)
    case .bool(let value): self = .flag(value)
    case .string(let value): self = .text(value)
    case .array(let list):
      if let integers = Self.all(list, { if case .integer(let value) = $0 { value } else { nil } })
      {
        self = .integers(integers)
      } else if let reals = Self.all(list, \.real), reals.allSatisfy(\.isFinite) {
        self = .reals(reals)
      } else if let texts = Self.all(list, \.string) {
        self = .texts(texts)
      } else {
        return nil
      }
    default: return nil
    }
  }

  private static func all<Element>(
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
    case .flag(let value): .bool(value)
    case .text(let value): .string(value)
    case .integers(let values): .array(values.map(JSONValue.integer))
    case .reals(let values): .array(values.map(JSONValue.real))
    case .texts(let values): .array(values.map(JSONValue.string))
    }
  }
}
