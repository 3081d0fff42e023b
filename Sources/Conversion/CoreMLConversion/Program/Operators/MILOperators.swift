import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

typealias MILRow = ExportRow<MILBuilder>

extension ExportRow<MILBuilder> {
  /// Creates a row for an operator with one output; `nil` if it must be decomposed.
  init<Operation: CatalogOperator>(
    value type: Operation.Type,
    _ rule:
      @escaping @Sendable (Operation, inout MILBuilder) throws(WeighbridgeError) -> ExportOperand?
  ) {
    self.init(native: type) { (operation, builder) throws(WeighbridgeError) in
      guard let value = try rule(operation, &builder) else { return nil }
      guard value.constant == nil else {
        return try builder.add("identity", ["x": .value(value)], as: builder.outputType).name
      }
      return value.name
    }
  }

  /// Creates a row for a function of one tensor.
  init(_ type: any CatalogOperator.Type, is operation: String) {
    self.init(kind: type.kind) { (_, builder) throws(WeighbridgeError) in
      [try builder.add(operation, ["x": .value(builder[0])], as: builder.outputType).name]
    }
  }

  /// Creates a row for an operator that combines its inputs from left to right.
  init<Operation: CatalogOperator>(chain type: Operation.Type, _ name: String) {
    self.init(value: type) { (_, builder) throws(WeighbridgeError) in try builder.chain(name) }
  }
}

/// How each operator is written in MIL. An operator without a row is decomposed.
package enum MILOperators {
  static let table = ExportTable(
    layout: .channelsFirst,
    [
      MILActivations.rows, MILArithmetic.rows, MILControl.rows, MILConvolutions.rows,
      MILDense.rows,
      MILIndexing.rows, MILNormalizations.rows, MILPooling.rows, MILRecurrent.rows,
      MILReductions.rows, MILReshaping.rows, MILResizing.rows, MILRow.refusals(refusals),
    ])

  private static let refusals: KeyValuePairs<String, [any CatalogOperator.Type]> = [
    "Core ML has no texts and no hashes": [Hashing.self, HashedCrossing.self, IndexLookup.self],
    "Core ML has no histograms": [CLAHE.self],
    "reads bits as another type, and Core ML can compute with numbers only": [BitCast.self],
    "MIL's lists of selected boxes have a fixed length": [
      BoxSelection.self, NonMaxSuppression.self,
    ],
    "has sizes that are known only when it runs, and programs are written with sizes known beforehand":
      [
        Fill.self, NonZero.self, ReshapeTo.self,
      ],
  ]

  /// The kinds of all rows, one entry per row.
  package static var kinds: [String] { table.kinds }

  /// The reason why an operator of a kind is never written; `nil` when it is.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }
}
