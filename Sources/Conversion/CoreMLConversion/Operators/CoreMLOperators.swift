import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// A family of operators, in both directions.
protocol CoreMLFamily: SendableMetatype {
  /// How the catalogue's operators are written.
  static var rows: [CoreMLRow] { get }
  /// How Core ML's layers are read, by their field names in `Schemas/coreml.proto`.
  static var nodes: [String: CoreMLCall.Build] { get }
}

/// All operators that are written and read.
package enum CoreMLOperators {
  private static let families: [any CoreMLFamily.Type] = [
    CoreMLActivations.self, CoreMLArithmetic.self, CoreMLConvolutions.self, CoreMLDense.self,
    CoreMLIndexing.self, CoreMLMerging.self, CoreMLNormalizations.self, CoreMLPooling.self,
    CoreMLRecurrent.self, CoreMLReductions.self, CoreMLReshaping.self, CoreMLResizing.self,
  ]

  /// How each operator is written. An operator without a row is decomposed.
  static let table = ExportTable(
    layout: .channelsFirst, families.map { $0.rows } + [CoreMLRow.formulas])

  /// The kinds of all rows, one entry per row.
  package static var kinds: [String] { table.kinds }

  /// The reason why an operator of a kind is never written; `nil` when it is, by its row or
  /// decomposed.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }

  /// How each kind of layer is read.
  static let builders = [String: CoreMLCall.Build](families: families.map { $0.nodes })
}

typealias CoreMLRow = ExportRow<CoreMLNetworkBuilder>

extension CoreMLFamily {
  /// No layers by default.
  static var nodes: [String: CoreMLCall.Build] { [:] }

  /// Builds a layer that is one elementwise operator.
  static func each(_ operation: any CatalogOperator) -> CoreMLCall.Build {
    { (call) throws(WeighbridgeError) in [try call.each(operation)] }
  }
}

extension ExportRow<CoreMLNetworkBuilder> {
  /// Makes a row for an operator that is one of Core ML's layers, with its settings.
  init<Operation: CatalogOperator>(
    _ type: Operation.Type, is kind: String,
    _ settings: @escaping @Sendable (Operation) -> ProtobufRecord = { _ in [:] }
  ) {
    self.init(type) { (operation, builder) throws(WeighbridgeError) in
      try builder.add(kind, try builder.allInputs(), settings(operation))
    }
  }

  /// Makes a row for an operator that is one of Core ML's activations, with its parameters.
  init<Operation: CatalogOperator>(
    _ type: Operation.Type, activation kind: String,
    _ numbers: @escaping @Sendable (Operation) -> [String: Double] = { _ in [:] }
  ) {
    self.init(type) { (operation, builder) throws(WeighbridgeError) in
      try builder.activation(kind, try builder.input(), numbers(operation))
    }
  }

  /// Makes a row for an operator that combines its inputs from the first to the last.
  init<Operation: CatalogOperator>(_ type: Operation.Type, chain kind: String) {
    self.init(type) { (_, builder) throws(WeighbridgeError) in
      try builder.chain(kind, try builder.allInputs())
    }
  }
}
