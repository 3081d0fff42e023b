import GraphIR
import LayerCatalog

/// What each operator becomes in Core ML. An operator without a row becomes what it is made of.
package enum CoreMLOperators {
  /// All rows.
  private static let all: [CoreMLRow] = [
    CoreMLActivations.rows, CoreMLArithmetic.rows, CoreMLConvolutions.rows, CoreMLDense.rows,
    CoreMLIndexing.rows, CoreMLLogic.rows, CoreMLMerging.rows, CoreMLNormalizations.rows,
    CoreMLPooling.rows, CoreMLRecurrent.rows, CoreMLReductions.rows, CoreMLReshaping.rows,
    CoreMLResizing.rows, CoreMLAttention.rows, CoreMLRefusals.rows,
  ].flatMap { $0 }

  /// The rows by kind.
  static let rows: [String: TargetMapping<ExportRule<CoreMLDraft>>] = Dictionary(
    all.map { ($0.kind, $0.mapping) }, uniquingKeysWith: { first, _ in first })

  /// The kinds of all rows, one entry a row.
  package static let kinds: [String] = all.map(\.kind)

  /// Why an operator of a kind is never written; `nil` when it is, by its row or by what it is made
  /// of.
  package static func refusal(of kind: String) -> String? {
    if case .unsupported(let reason) = rows[kind] { reason } else { nil }
  }

  /// The operators that Core ML has for channels-first data only.
  static func needsChannelsFirst(_ operation: any CatalogOperator) -> Bool {
    channelsFirstKinds.contains(operation.kind)
  }

  private static let channelsFirstKinds: Set<String> = [
    AdaptiveAveragePooling.kind, AdaptiveMaxPooling.kind, AveragePooling.kind, CenterCrop.kind,
    Convolution.kind, Cropping.kind, DepthToSpace.kind, GlobalAveragePooling.kind,
    GlobalMaxPooling.kind, LocallyConnected.kind, MaxPooling.kind, Resizing.kind,
    SpaceToDepth.kind, TransposedConvolution.kind, Upsampling.kind, ZeroPadding.kind,
  ]
}
