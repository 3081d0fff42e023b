import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// A family of operators, in both directions.
protocol CoreMLFamily: SendableMetatype {
  /// What the catalogue's operators become in Core ML.
  static var rows: [CoreMLRow] { get }
  /// What Core ML's layers become, by the names of their fields in `Schemas/coreml.proto`.
  static var nodes: [String: CoreMLCall.Build] { get }
}

/// All operators that are written and read.
package enum CoreMLOperators {
  private static let families: [any CoreMLFamily.Type] = [
    CoreMLActivations.self, CoreMLArithmetic.self, CoreMLConvolutions.self, CoreMLDense.self,
    CoreMLIndexing.self, CoreMLMerging.self, CoreMLNormalizations.self, CoreMLPooling.self,
    CoreMLRecurrent.self, CoreMLReductions.self, CoreMLReshaping.self, CoreMLResizing.self,
  ]

  /// What each operator becomes in Core ML. An operator without a row becomes what it is made of.
  static let table = ExportTable(
    layout: .channelsFirst, families.map { $0.rows } + [CoreMLRow.formulas])

  /// The kinds of all rows, one entry a row.
  package static var kinds: [String] { table.kinds }

  /// Why an operator of a kind is never written; `nil` when it is, by its row or by what it is made
  /// of.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }

  /// What each kind of layer becomes.
  static let builders = [String: CoreMLCall.Build](families: families.map { $0.nodes })
}

typealias CoreMLRow = ExportRow<CoreMLNetworkBuilder>

extension CoreMLFamily {
  /// None.
  static var nodes: [String: CoreMLCall.Build] { [:] }

  /// A layer that is one operator of each element by itself.
  static func each(_ operation: any CatalogOperator) -> CoreMLCall.Build {
    { (call) throws(WeighbridgeError) in [try call.each(operation)] }
  }
}

extension ExportRow<CoreMLNetworkBuilder> {
  /// A row for an operator that is one of Core ML's layers, with its settings.
  init<Operation: CatalogOperator>(
    _ type: Operation.Type, is kind: String,
    _ settings: @escaping @Sendable (Operation) -> ProtobufRecord = { _ in [:] }
  ) {
    self.init(type) { (operation, builder) throws(WeighbridgeError) in
      try builder.add(kind, try builder.allInputs(), settings(operation))
    }
  }

  /// A row for an operator that is one of Core ML's activations, with its numbers.
  init<Operation: CatalogOperator>(
    _ type: Operation.Type, activation kind: String,
    _ numbers: @escaping @Sendable (Operation) -> [String: Double] = { _ in [:] }
  ) {
    self.init(type) { (operation, builder) throws(WeighbridgeError) in
      try builder.activation(kind, try builder.input(), numbers(operation))
    }
  }

  /// A row for an operator that combines its inputs from the first to the last.
  init<Operation: CatalogOperator>(_ type: Operation.Type, chain kind: String) {
    self.init(type) { (_, builder) throws(WeighbridgeError) in
      try builder.chain(kind, try builder.allInputs())
    }
  }
}
