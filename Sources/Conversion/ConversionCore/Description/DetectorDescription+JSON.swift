package import GraphIR
package import JSON

extension DetectorDescription {
  /// The detector as `Schemas/metadata.schema.json` describes it.
  package var json: JSONValue {
    var object: JSONObject = [
      "kind": .string(kind.rawValue),
      "anchors": .array(anchors.flatMap { [.real($0.width), .real($0.height)] }),
      "heads": .array(heads.map(\.json)),
      "boxEncoding": .string(boxEncoding.rawValue), "objectness": .bool(hasObjectness),
      "background": .bool(hasBackground), "classes": .integer(classCount),
      "activated": .array(
        Part.allCases.filter(activated.contains).map { .string($0.rawValue) }),
    ]
    object["order"] = order.map { .string($0.rawValue) }
    object["side"] = side.map(JSONValue.integer)
    object["boxesPerCell"] = boxesPerCell.map(JSONValue.integer)
    object["classTree"] = classTree?.json
    object["confidenceThreshold"] = confidenceThreshold.map(JSONValue.real)
    object["overlapThreshold"] = overlapThreshold.map(JSONValue.real)
    object["suppression"] = suppression.map { .string($0.rawValue) }
    object["distanceExponent"] = distanceExponent.map(JSONValue.real)
    return .object(object)
  }
}

extension DetectorDescription.Head {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "output": .string(output), "mask": .array(mask.map(JSONValue.integer)),
    ]
    object["stride"] = stride.map(JSONValue.real)
    object["scaleXY"] = .real(scaleXY)
    object["boxPoint"] = .string(boxPoint.rawValue)
    return .object(object)
  }
}

extension DetectorDescription.ClassTree {
  fileprivate var json: JSONValue {
    .object([
      "parents": .array(parents.map { $0.map(JSONValue.integer) ?? .null }),
      "threshold": .real(threshold), "choice": .string(choice.rawValue),
    ])
  }
}
