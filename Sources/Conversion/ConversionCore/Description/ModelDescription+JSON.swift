package import GraphIR
package import JSON

extension ModelDescription {
  /// The description in the form of `Schemas/metadata.schema.json`.
  package var json: JSONValue {
    var object = JSONObject()
    object["name"] = name.map(JSONValue.string)
    object["author"] = author.map(JSONValue.string)
    object["license"] = license.map { .string($0.text) }
    object["licenseNote"] = license?.note.map(JSONValue.string)
    object["version"] = version.map(JSONValue.string)
    object["description"] = summary.map(JSONValue.string)
    object["inputs"] = .array(inputs.map(\.json))
    object["outputs"] = .array(outputs.map(\.json))
    object["labels"] = labels.isEmpty ? nil : .array(labels.map(JSONValue.string))
    object["detector"] = detector?.json
    object["userDefined"] = userDefined.isEmpty ? nil : .object(userDefined.jsonObject)
    return .object(object)
  }
}

extension ModelDescription.Feature {
  package var json: JSONValue {
    var object: JSONObject = ["name": .string(name)]
    object["description"] = summary.map(JSONValue.string)
    object["image"] = image?.json
    object["default"] = defaultValue.map(JSONValue.real)
    return .object(object)
  }
}

extension ImageInput {
  package var json: JSONValue {
    var object: JSONObject = [
      "color": .string(colorOrder.rawValue), "scale": .real(scale),
      "bias": .array(bias.map(JSONValue.real)),
    ]
    object["resize"] = resize.map { .string($0.rawValue) }
    object["layout"] = .string(layout.rawValue)
    return .object(object)
  }
}
