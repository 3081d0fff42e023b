package import JSON
import Weighbridge

extension CompositionResult {
  /// The documented JSON form.
  package var json: JSONValue {
    .object([
      "image": .string(path), "width": .integer(width), "height": .integer(height),
      "cost": .real(match.cost), "terms": match.terms.json,
      "assignment": .string(match.method.rawValue),
      "assigned": .array(match.assignment.map { $0.map(JSONValue.integer) ?? .null }),
      "detections": .array(detections.map(\.json)),
    ])
  }
}

extension CompositionTerms {
  fileprivate var json: JSONValue {
    .object([
      "presence": .real(presence), "relative_position": .real(relativePosition),
      "size": .real(size), "relative_size": .real(relativeSize),
    ])
  }
}
