import ConversionCore
import GraphIR
import LayerCatalog

/// How operators of other frameworks are written for darknet: one row for each kind.
package enum DarknetOperators {
  /// The reason why an operator of a kind is never written; `nil` if it is with some settings.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }

  /// The kinds of all rows, one entry per row.
  package static var kinds: [String] { table.kinds }

  static let table = ExportTable(layout: nil, [supportedRows, refusedRows, remainingRows])

  private static let supportedRows =
    DarknetRules.layers + DarknetRules.activations + DarknetRules.images + DarknetRules.joins

  private static let refusedRows = DarknetRules.Row.refusals([
    "stands alone, and darknet can have it as a part of other sections only": [
      Binarization.self, Cropping.self, Exponential.self, GroupedSoftmax.self,
      LocalResponseNormalization.self, LocallyConnected.self, Reduce.self, Rescaling.self,
      Slice.self, Subtract.self, SumNormalization.self, UnitNormalization.self,
    ],
    "is a transposed convolution, and darknet itself cannot load a [deconvolutional] section": [
      TransposedConvolution.self
    ],
    "darknet changes images before the network, and not inside": [
      AutoContrast.self, CLAHE.self, Resizing.self,
    ],
    "converts to another type, and darknet can compute in float32 only": [
      BitCast.self, Cast.self,
    ],
    "darknet chooses among boxes outside of the network": [
      BoxSelection.self, NonMaxSuppression.self,
    ],
  ])

  private static let remainingRows: [DarknetRules.Row] = {
    let known = Set((supportedRows + refusedRows).map(\.kind))
    return Catalog.all.filter { !known.contains($0.kind) }.map { type in
      DarknetRules.Row(
        type,
        unsupported: type is any RecurrentOperator.Type
          ? "is a recurrent layer over a sequence, and darknet can only take one step, with other gates"
          : "becomes \(type.kind), and darknet can have its own sections only")
    }
  }()
}
