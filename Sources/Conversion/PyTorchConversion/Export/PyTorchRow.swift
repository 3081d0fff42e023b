import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

typealias PyTorchRow = ExportRow<PyTorchBuilder>

extension ExportRow<PyTorchBuilder> {
  /// Creates a row for an operator with one output; `nil` if it must be decomposed.
  init<Operation: CatalogOperator>(
    value type: Operation.Type,
    _ rule:
      @escaping @Sendable (Operation, inout PyTorchBuilder) throws(WeighbridgeError) ->
      ExportOperand?
  ) {
    self.init(native: type) { (operation, builder) throws(WeighbridgeError) in
      guard let value = try rule(operation, &builder) else { return nil }
      guard value.constant == nil else { return try builder.add("\(value).clone()").name }
      return value.name
    }
  }

  /// Creates a row for an operator that is one expression; `nil` if it must be decomposed.
  init<Operation: CatalogOperator>(
    expression type: Operation.Type,
    _ rule:
      @escaping @Sendable (Operation, inout PyTorchBuilder) throws(WeighbridgeError) ->
      PythonExpression?
  ) {
    self.init(native: type) { (operation, builder) throws(WeighbridgeError) in
      guard let expression = try rule(operation, &builder) else { return nil }
      return try builder.add(expression).name
    }
  }

  /// Creates a row for a function of one tensor.
  init<Operation: CatalogOperator>(_ type: Operation.Type, function: String) {
    self.init(expression: type) { (_, builder) throws(WeighbridgeError) in
      "\(function)(\(builder[0]))"
    }
  }
}

/// How each operator is written in PyTorch. An operator without a row is decomposed.
package enum PyTorchOperators {
  /// The rows. PyTorch has channels-first images.
  static let table = ExportTable(
    layout: .channelsFirst,
    [
      PyTorchActivations.rows, PyTorchArithmetic.rows, PyTorchConvolutions.rows,
      PyTorchIndexing.rows, PyTorchLayers.rows, PyTorchPooling.rows, PyTorchRecurrent.rows,
      PyTorchReductions.rows, PyTorchReshaping.rows, PyTorchResizing.rows,
      PyTorchRow.refusals(refusals),
      PyTorchRow.refusingControl("modules are written without loops and branches"),
    ])

  private static let refusals: KeyValuePairs<String, [any CatalogOperator.Type]> = [
    "PyTorch has no texts and no hashes": [Hashing.self, HashedCrossing.self],
    "PyTorch has no tables of numbers": [IndexLookup.self],
    "PyTorch has no histograms of image tiles": [CLAHE.self],
    "PyTorch's own functions do not choose among boxes": [
      BoxSelection.self, NonMaxSuppression.self,
    ],
    "has sizes that are known only when it runs, and modules are written with sizes known beforehand":
      [
        Fill.self, NonZero.self, ReshapeTo.self,
      ],
  ]

  /// The kinds of all rows, one entry per row.
  package static var kinds: [String] { table.kinds }

  /// The reason why an operator of a kind is never written; `nil` when it is.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }
}
