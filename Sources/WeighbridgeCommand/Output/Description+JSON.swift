import JSON
import Weighbridge

extension ModelDescription {
  /// As `Schemas/metadata.schema.json` describes it.
  var json: JSONValue {
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
  var json: JSONValue {
    var object: JSONObject = ["name": .string(name)]
    object["description"] = summary.map(JSONValue.string)
    object["image"] = image?.json
    return .object(object)
  }
}

extension ImageInput {
  var json: JSONValue {
    var object: JSONObject = [
      "color": .string(colorOrder.rawValue), "scale": .real(scale),
      "bias": .array(bias.map(JSONValue.real)),
    ]
    object["resize"] = resize.map { .string($0.rawValue) }
    object["layout"] = .string(layout.rawValue)
    return .object(object)
  }
}

extension Detector {
  var json: JSONValue {
    var object: JSONObject = [
      "kind": .string(kind.rawValue),
      "anchors": .array(anchors.flatMap { [.real($0.width), .real($0.height)] }),
      "heads": .array(heads.map(\.json)),
      "boxEncoding": .string(boxEncoding.rawValue), "objectness": .bool(hasObjectness),
      "classes": .integer(classCount),
    ]
    object["confidenceThreshold"] = confidenceThreshold.map(JSONValue.real)
    object["overlapThreshold"] = overlapThreshold.map(JSONValue.real)
    object["suppression"] = suppression.map { .string($0.rawValue) }
    return .object(object)
  }
}

extension Detector.Head {
  var json: JSONValue {
    var object: JSONObject = [
      "output": .string(output), "mask": .array(mask.map(JSONValue.integer)),
    ]
    object["stride"] = stride.map(JSONValue.real)
    object["scaleXY"] = .real(scaleXY)
    return .object(object)
  }
}
