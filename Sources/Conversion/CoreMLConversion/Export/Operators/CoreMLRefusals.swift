import ConversionCore
import GraphIR
import LayerCatalog

/// Operators that Core ML's networks have no form for.
enum CoreMLRefusals {
  static let rows: [CoreMLRow] = [
    CoreMLRow(
      NonMaxSuppression.self, unsupported: "Core ML chooses among boxes behind a network, not in it"
    ),
    CoreMLRow(
      STFT.self, unsupported: "Core ML's networks have no Fourier transform"),
  ]
}
