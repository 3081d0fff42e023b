import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

typealias ONNXRow = ExportRow<ONNXGraphBuilder>

extension ExportRow<ONNXGraphBuilder> {
  /// A row for an operator that is one of ONNX's without settings.
  init(_ type: any CatalogOperator.Type, is name: String) {
    self.init(kind: type.kind) { (_, builder) throws(WeighbridgeError) in
      [builder.add(name, builder.allInputs())]
    }
  }
}

/// What each operator becomes in ONNX. An operator without a row becomes what it is made of.
package enum ONNXOperators {
  /// The rows.
  static let table = ExportTable([
    ONNXActivations.rows, ONNXArithmetic.rows, ONNXAttention.rows, ONNXConvolutions.rows,
    ONNXDense.rows, ONNXEncoding.rows, ONNXIndexing.rows, ONNXLogic.rows, ONNXMerging.rows,
    ONNXNormalizations.rows, ONNXPooling.rows, ONNXRecurrent.rows, ONNXReductions.rows,
    ONNXReshaping.rows, ONNXResizing.rows, ONNXSpectra.rows,
  ])

  /// The kinds of all rows, one entry a row.
  package static var kinds: [String] { table.kinds }

  /// Why an operator of a kind is never written; `nil` when it is, by its row or by what it is made
  /// of.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }

  /// The operators that ONNX has for channels-first data only.
  static func needsChannelsFirst(_ operation: any CatalogOperator) -> Bool {
    channelsFirstKinds.contains(operation.kind)
  }

  private static let channelsFirstKinds: Set<String> = [
    AdaptiveAveragePooling.kind, AdaptiveMaxPooling.kind, AveragePooling.kind, CenterCrop.kind,
    Convolution.kind, DepthToSpace.kind, GlobalAveragePooling.kind, GlobalMaxPooling.kind,
    LocallyConnected.kind, MaxPooling.kind, Resizing.kind, SpaceToDepth.kind,
    TransposedConvolution.kind, Upsampling.kind,
  ]
}
