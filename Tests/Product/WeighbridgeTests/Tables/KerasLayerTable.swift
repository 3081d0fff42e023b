import GraphIR
import KerasConversion
import LayerCatalog

/// The support for each layer of Keras 1, 2 and 3, as a Markdown table.
enum KerasLayerTable {
  /// The table, one line per layer class, without a trailing line break.
  static var markdown: String {
    let header = [
      "| Keras layer | Keras 1 | Keras 2 | Keras 3 | runs | exports |", "|---|---|---|---|---|---|",
    ]
    return (header + KerasClasses.all.map(row)).joined(separator: "\n")
  }

  private static func row(_ entry: (name: String, generations: Set<Int>)) -> String {
    let verdicts = (1...3).map { generation in
      entry.generations.contains(generation)
        ? KerasSupport.verdict(on: entry.name, generation: generation) : nil
    }
    let isRun = verdicts.contains { $0 == .read || $0 == .mapped }
    let cells =
      verdicts.map { $0.map(cell) ?? "" } + [isRun ? "yes" : "", isRun ? exports(entry.name) : ""]
    return "| `\(entry.name)` | \(cells.joined(separator: " | ")) |"
  }

  /// Returns the export formats of the operator that the layer is converted to.
  private static func exports(_ name: String) -> String {
    let newer = KerasSupport.newerName(ofKeras1: name)
    return (operators[name] ?? newer.flatMap { operators[$0] }).map(ExportSupport.formats) ?? ""
  }

  /// The kind of the operator that a layer is converted to, by the layer's class.
  private static let operators: [String: String] = {
    var kinds: [String: String] = [:]
    for (kind, mapping) in KerasMappings.byKind.sorted(by: { $0.key < $1.key }) {
      for name in mapping.layers.keys.sorted() {
        let plain = name.replacing(" (Keras 1)", with: "")
        if kinds[plain] == nil || plain == name { kinds[plain] = kind }
      }
    }
    return kinds
  }()

  private static func cell(_ verdict: KerasSupport.Verdict) -> String {
    switch verdict {
    case .read: "yes"
    case .mapped: "`--custom-layers`"
    case .refused(let reason): "no: \(reason)"
    }
  }

  /// The refused Keras classes, each with the reason, for tests.
  static var refused: [String: String] {
    var refused: [String: String] = [:]
    for entry in KerasClasses.all {
      for generation in entry.generations {
        if case .refused(let reason) = KerasSupport.verdict(on: entry.name, generation: generation)
        {
          refused[entry.name] = reason
        }
      }
    }
    return refused
  }

  /// Returns the names of the classes of a Keras version.
  static func names(of generation: Int) -> Set<String> {
    Set(KerasClasses.all.filter { $0.generations.contains(generation) }.map(\.name))
  }
}
