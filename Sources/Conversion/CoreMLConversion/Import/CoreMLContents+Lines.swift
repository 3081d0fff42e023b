import GraphIR

extension CoreMLContents {
  /// The contents of the file as readable text.
  package var lines: [String] {
    var lines = Self.lines("inputs", inputs) + Self.lines("outputs", outputs)
    lines += Self.lines("states", states)
    if !members.isEmpty { lines.append("members  \(members.joined(separator: ", "))") }
    for function in functions {
      let kinds = (function.operations ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      let count = kinds.reduce(0) { $0 + $1.value }
      let listed =
        kinds.prefix(8).map { "\($0.value) \($0.key)" } + (kinds.count > 8 ? ["..."] : [])
      lines.append(
        "function \(function.name)"
          + (function.operations == nil
            ? "" : ": \(count) operations (\(listed.joined(separator: ", ")))"))
      let features =
        Self.lines("inputs", function.inputs) + Self.lines("outputs", function.outputs)
        + Self.lines("states", function.states)
      lines += features.map { "  \($0)" }
    }
    return lines + ["", "cannot be converted: it \(reason)"]
  }

  private static func lines(_ title: String, _ features: [Feature]) -> [String] {
    if features.isEmpty { return [] }
    return [title]
      + features.map { feature in
        "  \(feature.name)  \(feature.type)" + (feature.summary.map { ": \($0)" } ?? "")
      }
  }
}
