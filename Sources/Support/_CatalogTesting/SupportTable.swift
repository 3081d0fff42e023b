import GraphIR
import KerasConversion
package import LayerCatalog

/// What of Keras becomes which operator, as a Markdown table.
///
/// It is made of the catalogue's values, so it cannot say what the catalogue does not.
package struct SupportTable: Sendable {
  /// An operator and what becomes it.
  private struct Row {
    let kind: String
    let layers: String
    let activations: String
  }

  private let rows: [Row]

  /// The table of some operators; their order does not matter.
  package init(_ operators: [any CatalogOperator.Type] = Catalog.all) {
    rows = operators.map(Self.row).sorted { $0.kind < $1.kind }
  }

  /// The table, one line an operator, without a line break at the end.
  package var markdown: String {
    let header = [
      "| operator | Keras layers | Keras activation functions | runs | exports |",
      "|---|---|---|---|---|",
    ]
    let lines = rows.map { row in
      "| `\(row.kind)` | \(row.layers) | \(row.activations) | yes "
        + "| \(ExportSupport.words(row.kind)) |"
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
