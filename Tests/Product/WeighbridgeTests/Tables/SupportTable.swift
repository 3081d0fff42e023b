import GraphIR
import KerasConversion
import LayerCatalog

/// The Keras layers and activations for each operator, as a Markdown table.
///
/// It is generated from the catalog, so it cannot differ from it.
struct SupportTable: Sendable {
  /// An operator and the layers and activations that are converted to it.
  private struct Row {
    let kind: String
    let layers: String
    let activations: String
  }

  private let rows: [Row]

  /// Creates the table of some operators; their order does not matter.
  init(_ operators: [any CatalogOperator.Type] = Catalog.all) {
    rows = operators.map(Self.row).sorted { $0.kind < $1.kind }
  }

  /// The table, one line per operator, without a trailing line break.
  var markdown: String {
    let header = [
      "| operator | Keras layers | Keras activation functions | runs | exports |",
      "|---|---|---|---|---|",
    ]
    let lines = rows.map { row in
      "| `\(row.kind)` | \(row.layers) | \(row.activations) | yes "
        + "| \(ExportSupport.formats(row.kind)) |"
    }
    return (header + lines).joined(separator: "\n")
  }

  private static func row(_ type: any CatalogOperator.Type) -> Row {
    let mapping = KerasMappings.byKind[type.kind]
    return Row(
      kind: type.kind, layers: list((mapping?.layers ?? [:]).keys),
      activations: list((mapping?.activations ?? [:]).keys))
  }

  private static func list(_ names: some Sequence<String>) -> String {
    names.sorted().map { "`\($0)`" }.joined(separator: ", ")
  }
}
