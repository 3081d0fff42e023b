import CoreMLConversion
import JSON
import Weighbridge

extension Inspection {
  /// As `Schemas/inspect.schema.json` describes it.
  var json: JSONValue {
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
    object["classLabel"] = classLabel.map(\.json)
    object["contents"] = contents?.json
    object["updatable"] = isUpdatable.map(JSONValue.bool)
    object["problem"] = problem.map { .string($0.description.namingOptions) }
    object["notes"] = notes.isEmpty ? nil : .array(notes.map { .string($0.namingOptions) })
    object["tensors"] = looseWeights.isEmpty ? nil : .array(looseWeights.map(\.json))
    return .object(object)
  }
}

extension ModelPort {
  var json: JSONValue { .object(["name": .string(name), "type": type.json]) }
}

extension TensorType {
  /// Known axes as numbers, named ones as strings, others as null.
  var json: JSONValue {
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
  var json: JSONValue {
    var object: JSONObject = [
      "index": .integer(index), "name": .string(name), "class": .string(className),
      "operator": kind.isEmpty ? .null : .string(kind), "outputs": .array(outputs.map(\.json)),
      "parameters": .integer(parameterCount),
    ]
    object["inputs"] = inputs.isEmpty ? nil : .array(inputs.map(JSONValue.string))
    object["problem"] = problem.map { .string($0.namingOptions) }
    return .object(object)
  }
}

extension ClassLabel {
  var json: JSONValue {
    var object: JSONObject = ["name": .string(name), "type": .string(type)]
    object["probabilities"] = probabilities.map(JSONValue.string)
    return .object(object)
  }
}

extension Inspection.References {
  var json: JSONValue {
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

extension Provenance {
  var json: JSONValue {
    var object: JSONObject = [
      "sources": .array(
        sources.map { source in
          .object([
            "file": .string(source.fileName), "role": .string(source.role),
            "size": .integer(source.byteCount), "sha256": .string(source.sha256.hexadecimal),
          ])
        })
    ]
    object["framework"] = framework.isEmpty ? nil : .string(framework)
    object["frameworkVersion"] = frameworkVersion.map(JSONValue.string)
    object["backend"] = backend.map(JSONValue.string)
    object["converter"] = converter.isEmpty ? nil : .string(converter)
    object["options"] = .object(options.jsonObject)
    object["decisions"] = .array(
      decisions.map { decision in
        .object(["layer": .string(decision.layer), "text": .string(decision.text.namingOptions)])
      })
    return .object(object)
  }
}

extension [UInt8] {
  /// Two lowercase hexadecimal digits a byte.
  var hexadecimal: String {
    map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
