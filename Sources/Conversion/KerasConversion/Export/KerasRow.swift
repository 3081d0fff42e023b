import ConversionCore
import GraphIR
import LayerCatalog

typealias KerasRow = ExportRow<KerasModelBuilder>

/// What each operator becomes in Keras. An operator without a row becomes what it is made of.
package enum KerasOperators {
  /// The rows.
  static let table = ExportTable(
    [
      KerasActivations.rows, KerasArithmetic.rows, KerasAttention.rows, KerasConvolutions.rows,
      KerasIndexing.rows, KerasPooling.rows, KerasRecurrent.rows, KerasReductions.rows,
      KerasRefusals.rows, KerasReshaping.rows, KerasResizing.rows,
    ] + KerasMappings.byKind.values.map(\.rows))

  /// The kinds of all rows, one entry a row.
  package static var kinds: [String] { table.kinds }

  /// Why an operator of a kind is never written; `nil` when it is, by its row or by what it is made
  /// of.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }

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
