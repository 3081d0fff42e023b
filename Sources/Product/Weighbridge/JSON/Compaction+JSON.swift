package import JSON

extension Inspection.Encoding {
  package var json: JSONValue {
    .object([
      "name": .string(name), "weights": .integer(weightCount),
      "parameters": .integer(parameterCount), "bytes": .integer(byteCount),
    ])
  }
}

extension CompactionRecord {
  package var json: JSONValue {
    var object: JSONObject = [
      "by": .string(author), "request": .string(request), "inputs": .string(inputs),
      "input_count": .integer(inputCount), "original_bytes": .integer(originalByteCount),
      "outputs": .array(
        outputs.map {
          .object([
            "name": .string($0.output), "bound": .real($0.bound), "worst": .real($0.worst),
            "mean": .real($0.mean),
          ])
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
    if !caution.isEmpty { object["caution"] = .string(caution) }
    return .object(object)
  }
}
