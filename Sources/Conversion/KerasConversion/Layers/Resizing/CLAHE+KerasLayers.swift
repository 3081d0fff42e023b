import Bytes
import GraphIR
import LayerCatalog

extension CLAHE {
  /// Keras 3: `ContrastLimitedAdaptiveHistogramEqualization`, whose images may have other ranges.
  static let keras = KerasMapping(layers: [
    "ContrastLimitedAdaptiveHistogramEqualization": equalization
  ])
}
