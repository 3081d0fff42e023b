package import JSON
package import ModelComparison
import Verifier

extension ModelDifferences {
  /// The JSON form: `same`, the numbers of compared items, and the differences.
  package var json: JSONValue {
    .object([
      "same": .bool(isEmpty), "operators": .integer(pairedOperators),
      "weights": .integer(comparedWeights), "numbers": .integer(comparedNumbers),
      "differences": .array(
        items.map { item in
          var object: JSONObject = [
            "kind": .string(item.kind.rawValue), "counts": .bool(item.counts),
            "reason": .string(item.reason),
          ]
          object["first"] = item.first.map(JSONValue.string)
          object["second"] = item.second.map(JSONValue.string)
          object["max_abs"] = item.difference.map { .real($0.maxAbsolute) }
          object["max_rel"] = item.difference.map { .real($0.maxRelative) }
          object["cosine"] = item.difference.map { .real($0.cosine) }
          return .object(object)
        }),
    ])
  }
}
