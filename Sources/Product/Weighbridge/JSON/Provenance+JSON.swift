package import JSON

extension Provenance {
  package var json: JSONValue {
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
        .object(["layer": .string(decision.layer), "text": .string(decision.text)])
      })
    return .object(object)
  }
}
