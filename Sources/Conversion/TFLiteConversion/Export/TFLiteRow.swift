import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

typealias TFLiteRow = ExportRow<TFLiteBuilder>

extension ExportRow<TFLiteBuilder> {
  /// Creates a row for an operator with one output; `nil` if it must be decomposed.
  init<Operation: CatalogOperator>(
    value type: Operation.Type,
    _ rule:
      @escaping @Sendable (Operation, inout TFLiteBuilder) throws(WeighbridgeError) ->
      ExportOperand?
  ) {
    self.init(native: type) { (operation, builder) throws(WeighbridgeError) in
      guard let value = try rule(operation, &builder) else { return nil }
      guard value.constant == nil else {
        return try builder.add(.cast, value, as: builder.outputType).name
      }
      return value.name
    }
  }

  /// Creates a row for a function of one tensor.
  init(_ type: any CatalogOperator.Type, is builtin: TFLiteBuiltin) {
    self.init(kind: type.kind) { (_, builder) throws(WeighbridgeError) in
      [try builder.add(builtin, builder[0], as: builder.outputType).name]
    }
  }

  /// Creates a row for an operator that combines its inputs from left to right.
  init<Operation: CatalogOperator>(chain type: Operation.Type, _ builtin: TFLiteBuiltin) {
    self.init(value: type) { (_, builder) throws(WeighbridgeError) in
      try builder.chain(builtin)
    }
  }
}

/// How each operator is written in TFLite. An operator without a row is decomposed.
package enum TFLiteOperators {
  /// The rows. TFLite has channels-last images only.
  static let table = ExportTable(
    layout: .channelsLast,
    [
      TFLiteActivations.rows, TFLiteArithmetic.rows, TFLiteControl.rows, TFLiteConvolutions.rows,
      TFLiteDense.rows,
      TFLiteIndexing.rows, TFLitePooling.rows, TFLiteRecurrent.rows, TFLiteReductions.rows,
      TFLiteReshaping.rows, TFLiteResizing.rows, TFLiteRow.refusals(refusals),
    ])

  private static let refusals: KeyValuePairs<String, [any CatalogOperator.Type]> = [
    "TFLite has no texts and no hashes": [Hashing.self, HashedCrossing.self],
    "TFLite's tables of numbers need an initialization": [IndexLookup.self],
    "TFLite has no histograms": [CLAHE.self],
    "TFLite's lists of selected boxes have a fixed length": [
      BoxSelection.self, NonMaxSuppression.self,
    ],
    "has sizes that are known only when it runs, and TFLite files are written with sizes known beforehand":
      [
        Fill.self, NonZero.self, ReshapeTo.self,
      ],
    "TFLite takes one index for each element only along all axes": [GatherElements.self],
  ]

  /// The kinds of all rows, one entry per row.
  package static var kinds: [String] { table.kinds }

  /// The reason why an operator of a kind is never written; `nil` when it is.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }
}
