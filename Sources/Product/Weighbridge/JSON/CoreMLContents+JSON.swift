package import CoreMLConversion
package import JSON

extension CoreMLContents {
  /// The form that `Schemas/inspect.schema.json` describes.
  package var json: JSONValue {
    .object([
      "kind": .string(kind), "specification": .integer(specificationVersion),
      "inputs": Self.json(inputs), "outputs": Self.json(outputs), "states": Self.json(states),
      "functions": .array(functions.map(\.json)), "members": .array(members.map(JSONValue.string)),
      "reason": .string(reason),
    ])
  }

  fileprivate static func json(_ features: [Feature]) -> JSONValue {
    .array(
      features.map { feature in
        var object: JSONObject = ["name": .string(feature.name), "type": .string(feature.type)]
        object["description"] = feature.summary.map(JSONValue.string)
        return .object(object)
      })
  }
}

extension CoreMLContents.Function {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "name": .string(name), "inputs": CoreMLContents.json(inputs),
      "outputs": CoreMLContents.json(outputs), "states": CoreMLContents.json(states),
    ]
    object["operations"] = operations.map { operations in
      var counts = JSONObject()
      for (type, count) in operations.sorted(by: { $0.key < $1.key }) {
        counts[type] = .integer(count)
      }
      return .object(counts)
    }
    return .object(object)
  }
}
