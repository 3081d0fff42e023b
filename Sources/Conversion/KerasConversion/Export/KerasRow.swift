import ConversionCore
import GraphIR
import LayerCatalog

typealias KerasRow = ExportRow<KerasModelBuilder>

/// How each operator is written in Keras. An operator without a row is decomposed.
package enum KerasOperators {
  /// The rows. On a CPU, TensorFlow supports only channels-last images.
  static let table = ExportTable(
    layout: .channelsLast,
    [
      KerasMappings.rows, KerasActivations.rows, KerasArithmetic.rows, KerasIndexing.rows,
      KerasReductions.rows, KerasReshaping.rows,
      KerasRow.refusingControl("no layer of Keras does"),
    ])

  /// The kinds of all rows, one entry per row.
  package static var kinds: [String] { table.kinds }

  /// The reason why an operator of a kind is never written; `nil` when it is, by its row or
  /// decomposed.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }
}
