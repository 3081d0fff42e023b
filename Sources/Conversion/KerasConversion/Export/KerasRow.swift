import ConversionCore
import GraphIR
import LayerCatalog

typealias KerasRow = ExportRow<KerasModelBuilder>

/// What each operator becomes in Keras. An operator without a row becomes what it is made of.
package enum KerasOperators {
  /// The rows. On a processor, TensorFlow has images with their channels last only.
  static let table = ExportTable(
    layout: .channelsLast,
    [
      KerasMappings.rows, KerasActivations.rows, KerasArithmetic.rows, KerasIndexing.rows,
      KerasReductions.rows, KerasReshaping.rows,
    ])

  /// The kinds of all rows, one entry a row.
  package static var kinds: [String] { table.kinds }

  /// Why an operator of a kind is never written; `nil` when it is, by its row or by what it is made
  /// of.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }
}
