package import JSON
package import Verifier

extension VerificationReport {
  /// The form that the documentation specifies.
  package var json: JSONValue {
    .object([
      "passed": .bool(passed),
      "checks": .array(
        results.map { result in
          var object: JSONObject = [
            "name": .string(result.name), "status": .string(result.status.rawValue),
            "reason": .string(result.reason),
          ]
          object["layer"] = result.layer.map(JSONValue.string)
          object["max_abs"] = result.difference.map { .real($0.maxAbsolute) }
          object["max_rel"] = result.difference.map { .real($0.maxRelative) }
          object["cosine"] = result.difference.map { .real($0.cosine) }
          return .object(object)
        }),
    ])
  }
}
