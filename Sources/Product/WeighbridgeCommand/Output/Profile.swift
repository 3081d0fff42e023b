import JSON
import Weighbridge

/// What each layer of a run took, the slowest first.
struct Profile {
  private struct Line {
    let layer: RunResult.Layer
    /// The floating-point operations of the layer and of those that were computed with it.
    let operationCount: Int

    var milliseconds: Double { Double(layer.nanoseconds) / 1e6 }

    /// In 10^9 operations a second; `nil` for what took no time.
    var speed: Double? {
      layer.nanoseconds > 0 ? Double(operationCount) / Double(layer.nanoseconds) : nil
    }
  }

  private let lines: [Line]
  private let total: Double
  private let memory: (byteCount: Int, lowerBound: Int)?

  /// - Parameters:
  ///   - operationCounts: The operations of each layer, by its name.
  ///   - memory: What activations take, and the least that they could.
  init(
    _ profile: [RunResult.Layer], operationCounts: [String: Int],
    memory: (byteCount: Int, lowerBound: Int)?
  ) {
    self.memory = memory
    lines = profile.sorted { $0.nanoseconds > $1.nanoseconds }.map { layer in
      let count = ([layer.name] + layer.fused).reduce(0) { $0 + (operationCounts[$1] ?? 0) }
      return Line(layer: layer, operationCount: count)
    }
    total = lines.reduce(0) { $0 + $1.milliseconds }
  }

  private func share(_ line: Line) -> Double { total > 0 ? line.milliseconds / total : 0 }

  /// A table.
  var text: String {
    var table = Table(
      ["layer", "operator", "kernel", "ms", "share", "GFLOP/s"], rightAligned: [3, 4, 5])
    for line in lines {
      table.append([
        line.layer.name, line.layer.kind, "\(line.layer.kernel)",
        "\((line.milliseconds * 100).rounded() / 100)",
        "\((share(line) * 1000).rounded() / 10) %",
        line.speed.map { "\(($0 * 10).rounded() / 10)" } ?? "",
      ])
    }
    guard let memory else { return table.text }
    return """
      \(table.text)

      \(memory.byteCount.grouped) bytes of activations, of at least \(memory.lowerBound.grouped)
      """
  }

  /// The same for programs.
  var json: JSONValue {
    .object([
      "total_ms": .real(total),
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
