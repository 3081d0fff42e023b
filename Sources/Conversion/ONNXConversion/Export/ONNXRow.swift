import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

typealias ONNXRow = ExportRow<ONNXGraphBuilder>

extension ExportRow<ONNXGraphBuilder> {
  /// A row for an operator that is one of ONNX's without settings.
  init(_ type: any CatalogOperator.Type, is name: String) {
    self.init(kind: type.kind) { (_, builder) throws(WeighbridgeError) in
      [builder.add(name, builder.allInputs())]
    }
  }

  /// A row for an operator that is one of ONNX's, with its settings.
  init<Operation: CatalogOperator>(
    _ type: Operation.Type, is name: String,
    _ settings: @escaping @Sendable (Operation) -> KeyValuePairs<String, ONNXAttribute>
  ) {
    self.init(type) { (operation, builder) throws(WeighbridgeError) in
      builder.add(name, builder.allInputs(), settings(operation))
    }
  }

  /// A row for an operator that combines its inputs from the first to the last.
  init(_ type: any CatalogOperator.Type, chain name: String) {
    self.init(kind: type.kind) { (_, builder) throws(WeighbridgeError) in
      [builder.chain(name, builder.allInputs())]
    }
  }
}

/// What each operator becomes in ONNX. An operator without a row becomes what it is made of.
package enum ONNXOperators {
  /// The rows.
  static let table = ExportTable(
    layout: .channelsFirst,
    [
      ONNXActivations.rows, ONNXArithmetic.rows, ONNXAttention.rows, ONNXConvolutions.rows,
      ONNXDense.rows, ONNXEncoding.rows, ONNXIndexing.rows, ONNXMerging.rows,
      ONNXNormalizations.rows, ONNXPooling.rows, ONNXRecurrent.rows, ONNXReductions.rows,
      ONNXReshaping.rows, ONNXResizing.rows, ONNXSpectra.rows,
    ])

  /// The kinds of all rows, one entry a row.
  package static var kinds: [String] { table.kinds }

  /// Why an operator of a kind is never written; `nil` when it is, by its row or by what it is made
  /// of.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }
}
