import CoreMLConversion
package import JSON

extension Inspection {
  /// The form that `Schemas/inspect.schema.json` describes.
  package var json: JSONValue {
    var object: JSONObject = [
      "path": .string(path), "format": .string(format), "size": .integer(fileSize),
      "description": description.json,
      "inputs": .array(inputs.map(\.json)), "outputs": .array(outputs.map(\.json)),
      "layers": .array(layers.map(\.json)), "runs": .bool(runs),
      "weights": .object([
        "count": .integer(weightCount), "parameters": .integer(parameterCount),
        "bytes": .integer(weightByteCount),
      ]),
      "cost": cost.map { cost in
        .object([
          "operations": .integer(cost.operationCount),
          "activation_bytes": .integer(cost.activationByteCount),
        ])
      } ?? .null,
      "provenance": provenance.json,
      "references": .array(references.map(\.json)),
    ]
    object["encodings"] = encodings.isEmpty ? nil : .array(encodings.map(\.json))
    object["compaction"] = compaction?.json
    object["quantization"] = quantization.map {
      .object([
        "int8": .integer($0.int8), "bfloat16": .integer($0.bfloat16), "of": .integer($0.all),
      ])
    }
    object["classLabel"] = classLabel.map(\.json)
    object["contents"] = contents?.json
    object["updatable"] = isUpdatable.map(JSONValue.bool)
    object["problem"] = problem.map { .string($0.description) }
    object["notes"] = notes.isEmpty ? nil : .array(notes.map { .string($0) })
    object["tensors"] = looseWeights.isEmpty ? nil : .array(looseWeights.map(\.json))
    return .object(object)
  }
}

extension ModelPort {
  package var json: JSONValue { .object(["name": .string(name), "type": type.json]) }
}

extension TensorType {
  /// Known dimensions as numbers, named ones as strings, others as null.
  package var json: JSONValue {
    .object([
      "elementType": .string(elementType.rawValue),
      "shape": .array(
        shape.map { dimension in
          switch dimension {
          case .fixed(let value): .integer(value)
          case .symbolic(let name): .string(name)
          case .unknown: .null
          }
        }),
    ])
  }
}

extension Inspection.Layer {
  package var json: JSONValue {
    var object: JSONObject = [
      "index": .integer(index), "name": .string(name), "class": .string(className),
      "operator": kind.isEmpty ? .null : .string(kind), "outputs": .array(outputs.map(\.json)),
      "parameters": .integer(parameterCount),
    ]
    object["inputs"] = inputs.isEmpty ? nil : .array(inputs.map(JSONValue.string))
    object["problem"] = problem.map { .string($0) }
    return .object(object)
  }
}

extension ClassLabel {
  package var json: JSONValue {
    var object: JSONObject = ["name": .string(name), "type": .string(type)]
    object["probabilities"] = probabilities.map(JSONValue.string)
    return .object(object)
  }
}

extension Inspection.References {
  package var json: JSONValue {
    .object([
      "by": .string(author), "inputs": .array(inputs.map(JSONValue.string)),
      "outputs": .array(outputs.map(JSONValue.string)), "layers": .integer(layerCount),
      "tolerance": toleranceJSON,
    ])
  }
}

extension Inspection.References {
  private var toleranceJSON: JSONValue {
    var object: JSONObject = [
      "absolute": .real(tolerance.absolute), "relative": .real(tolerance.relative),
      "source": .string(toleranceSource.rawValue),
    ]
    object["relative_l2"] = tolerance.relativeL2.map(JSONValue.real)
    return .object(object)
  }
}
