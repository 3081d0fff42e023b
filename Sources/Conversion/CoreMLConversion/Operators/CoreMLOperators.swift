import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// A family of operators, for export and import.
protocol CoreMLFamily: SendableMetatype {
  /// How the catalog's operators are written.
  static var rows: [CoreMLRow] { get }
  /// How Core ML's layers are read, by their field names in `Schemas/coreml.proto`.
  static var nodes: [String: CoreMLLayerImport.Build] { get }
}

/// All operators that can be written and read.
package enum CoreMLOperators {
  private static let families: [any CoreMLFamily.Type] = [
    CoreMLActivations.self, CoreMLArithmetic.self, CoreMLConvolutions.self, CoreMLDense.self,
    CoreMLIndexing.self, CoreMLMerging.self, CoreMLNormalizations.self, CoreMLPooling.self,
    CoreMLRecurrent.self, CoreMLReductions.self, CoreMLReshaping.self, CoreMLResizing.self,
  ]

  /// How each operator is written. An operator without a row is decomposed.
  static let table = ExportTable(
    layout: .channelsFirst,
    families.map { $0.rows }
      + [CoreMLRow.refusingControl("networks are written without loops and branches")])

  /// The kinds of all rows, one entry per row.
  package static var kinds: [String] { table.kinds }

  /// Returns the reason why operators of a kind are never written; `nil` when they are, by a row or
  /// decomposed.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }

  /// How each kind of layer is read.
  static let builders = [String: CoreMLLayerImport.Build](families: families.map { $0.nodes })
}

typealias CoreMLRow = ExportRow<CoreMLNetworkBuilder>

extension CoreMLFamily {
  /// No layers by default.
  static var nodes: [String: CoreMLLayerImport.Build] { [:] }

  /// Returns the builder of a layer that is one elementwise operator.
  static func elementwise(_ operation: any CatalogOperator) -> CoreMLLayerImport.Build {
    { (layer) throws(WeighbridgeError) in [try layer.elementwise(operation)] }
  }
}

extension ExportRow<CoreMLNetworkBuilder> {
  /// Creates a row for an operator that is one of Core ML's layers, with its settings.
  init<Operation: CatalogOperator>(
    _ type: Operation.Type, is kind: String,
    _ settings: @escaping @Sendable (Operation) -> ProtobufRecord = { _ in [:] }
  ) {
    self.init(type) { (operation, builder) throws(WeighbridgeError) in
      try builder.add(kind, try builder.allInputs(), settings(operation))
    }
  }

  /// Creates a row for an operator that is one of Core ML's activations, with its parameters.
  init<Operation: CatalogOperator>(
    _ type: Operation.Type, activation kind: String,
    _ parameters: @escaping @Sendable (Operation) -> [String: Double] = { _ in [:] }
  ) {
    self.init(type) { (operation, builder) throws(WeighbridgeError) in
      try builder.activation(kind, try builder.input(), parameters(operation))
    }
  }

  /// Creates a row for an operator that combines its inputs from first to last.
  init<Operation: CatalogOperator>(_ type: Operation.Type, chain kind: String) {
    self.init(type) { (_, builder) throws(WeighbridgeError) in
      try builder.chain(kind, try builder.allInputs())
    }
  }
}
