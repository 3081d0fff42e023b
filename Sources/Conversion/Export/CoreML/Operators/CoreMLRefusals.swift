import LayerCatalog

/// Operators that Core ML's networks have no form for.
enum CoreMLRefusals {
  static let rows: [CoreMLRow] = [
    CoreMLRow(
      BoxSelection.self, unsupported: "Core ML chooses among boxes behind a network, not in it"),
    CoreMLRow(
      ShortTimeFourierTransform.self, unsupported: "Core ML's networks have no Fourier transform"),
  ]
}
