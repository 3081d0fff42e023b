import Weighbridge

extension Provenance {
  /// The decisions as text. Identical decisions are one line, with their number and the first
  /// names.
  var decisionLines: [String] {
    decisionGroups.map { Self.decisionLine($0.text.namingOptions, of: $0.layers) }
  }

  private static func decisionLine(_ text: String, of layers: [String]) -> String {
    let names = layers.filter { !$0.isEmpty }
    guard layers.count > 1 else { return "decision: " + (names + [text]).joined(separator: ": ") }
    let line = "decision, \(layers.count.grouped) times: \(text)"
    guard !names.isEmpty else { return line }
    let shown = names.prefix(shownNames).joined(separator: ", ")
    let rest = names.count - shownNames
    return line + (rest > 0 ? " (\(shown) and \(rest.grouped) more)" : " (\(shown))")
  }

  /// The number of names listed for a shared decision; `--json` has all.
  private static let shownNames = 3
}
