import Bytes
package import JSON

extension RunProfile {
  /// `{"total_ms", "activation_bytes", "activation_bytes_at_least", "layers": [{"name", "operator",
  /// "fused", "kernel", "ms", "share", "operations"}]}`, the slowest layer first.
  package var json: JSONValue {
    .object([
      "total_ms": .real(milliseconds),
      "activation_bytes": memory.map { .integer($0.byteCount) } ?? .null,
      "activation_bytes_at_least": memory.map { .integer($0.lowerBound) } ?? .null,
      "layers": .array(
        lines.map { line in
          .object([
            "name": .string(line.layer.name), "operator": .string(line.layer.kind),
            "fused": .array(line.layer.fused.map(JSONValue.string)),
            "kernel": .string("\(line.layer.kernel)"), "ms": .real(line.milliseconds),
            "share": .real(share(line)), "operations": .integer(line.operationCount),
          ])
        }),
    ])
  }
}
