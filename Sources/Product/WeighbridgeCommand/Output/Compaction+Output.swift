import JSON
import Verifier
import Weighbridge

extension Inspection.Encoding {
  /// The encoding in a line for people.
  var line: String {
    "  \(weightCount) \(name), \(parameterCount.grouped) parameters in \(byteCount.grouped) bytes "
      + "(\(bits) bits each)"
  }

  private var bits: String {
    guard parameterCount > 0 else { return "0" }
    let tenths = (80 * byteCount + parameterCount / 2) / parameterCount
    return "\(tenths / 10).\(tenths % 10)"
  }

  var json: JSONValue {
    .object([
      "name": .string(name), "weights": .integer(weightCount),
      "parameters": .integer(parameterCount), "bytes": .integer(byteCount),
    ])
  }
}

extension CompactionRecord {
  var json: JSONValue {
    var object: JSONObject = [
      "by": .string(author), "request": .string(request), "inputs": .string(inputs),
      "input_count": .integer(inputCount), "original_bytes": .integer(originalByteCount),
      "outputs": .array(
        outputs.map {
          .object(["name": .string($0.output), "worst": .real($0.worst), "mean": .real($0.mean)])
        }),
      "weights": .array(
        weights.map { .object(["name": .string($0.weight), "error": .real($0.error)]) }),
    ]
    object["answers"] = answers.map { answers in
      .object([
        "kind": .string(answers.kind == .topClass ? "top_class" : "detections"),
        "kept": .integer(answers.kept), "total": .integer(answers.total),
      ])
    }
    return .object(object)
  }
}
