import ConversionCore
import GraphIR
import LayerCatalog

/// What each operator becomes in Core ML. An operator without a row becomes what it is made of.
package enum CoreMLOperators {
  /// The rows.
  static let table = ExportTable(
    layout: .channelsFirst,
    [
      CoreMLActivations.rows, CoreMLArithmetic.rows, CoreMLConvolutions.rows, CoreMLDense.rows,
      CoreMLIndexing.rows, CoreMLMerging.rows, CoreMLNormalizations.rows, CoreMLPooling.rows,
      CoreMLRecurrent.rows, CoreMLReductions.rows, CoreMLReshaping.rows, CoreMLResizing.rows,
    ])

  /// The kinds of all rows, one entry a row.
  package static var kinds: [String] { table.kinds }

  /// Why an operator of a kind is never written; `nil` when it is, by its row or by what it is made
  /// of.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }
}
