import Bytes
import GraphIR
import LayerCatalog

/// How an operator is written.
struct KerasRule: Sendable {
  /// Adds the layers that an operator becomes, and returns its outputs.
  let apply:
    @Sendable (any CatalogOperator, inout KerasDraft) throws(WeighbridgeError) -> [KerasValue]
}

/// What an operator becomes in Keras.
struct KerasRow: Sendable {
  /// The kind of the operator.
  let kind: String
  /// The rule, or why there is none.
  let mapping: TargetMapping<KerasRule>

  /// A row for an operator of several outputs.
  init<Operation: CatalogOperator>(
    outputsOf type: Operation.Type,
    _ rule:
      @escaping @Sendable (Operation, inout KerasDraft) throws(WeighbridgeError) -> [KerasValue]
  ) {
    kind = type.kind
    mapping = .mapped(
      KerasRule { (operation, draft) throws(WeighbridgeError) in
        guard let operation = operation as? Operation else {
          throw WeighbridgeError(.unsupported, "is no \(Operation.kind)")
        }
        return try rule(operation, &draft)
      })
  }

  /// A row for an operator of one output.
  init<Operation: CatalogOperator>(
    _ type: Operation.Type,
    _ rule: @escaping @Sendable (Operation, inout KerasDraft) throws(WeighbridgeError) -> KerasValue
  ) {
    self.init(outputsOf: type) { (operation, draft) throws(WeighbridgeError) in
      [try rule(operation, &draft)]
    }
  }

  /// A row for an operator that cannot be written.
  init(_ type: any CatalogOperator.Type, unsupported reason: String) {
    kind = type.kind
    mapping = .unsupported(reason)
  }
}

/// What each operator becomes in Keras. An operator without a row becomes what it is made of.
package enum KerasOperators {
  /// All rows.
  private static let all: [KerasRow] = [
    KerasActivations.rows, KerasArithmetic.rows, KerasAttention.rows, KerasConvolutions.rows,
    KerasIndexing.rows, KerasNormalizations.rows, KerasPooling.rows, KerasRecurrent.rows,
    KerasReductions.rows, KerasRefusals.rows, KerasReshaping.rows, KerasResizing.rows,
  ].flatMap { $0 }

  /// The rows by kind.
  static let rows: [String: TargetMapping<KerasRule>] = Dictionary(
    all.map { ($0.kind, $0.mapping) }, uniquingKeysWith: { first, _ in first })

  /// The kinds of all rows, one entry a row.
  package static let kinds: [String] = all.map(\.kind)

  /// Why an operator of a kind is never written; `nil` when it is, by its row or by what it is made
  /// of.
  package static func refusal(of kind: String) -> String? {
    if case .unsupported(let reason) = rows[kind] { reason } else { nil }
  }

  /// The layers that TensorFlow has for channels-last data only, on a processor.
  static func needsChannelsLast(_ operation: any CatalogOperator) -> Bool {
    channelsLastKinds.contains(operation.kind)
  }

  private static let channelsLastKinds: Set<String> = [
    AveragePooling.kind, CenterCrop.kind, Convolution.kind, ConvLSTM.kind, Cropping.kind,
    DepthToSpace.kind, GlobalAveragePooling.kind, GlobalMaxPooling.kind, MaxPooling.kind,
    Resizing.kind, SpaceToDepth.kind, TransposedConvolution.kind, Upsampling.kind,
    ZeroPadding.kind,
  ]
}
