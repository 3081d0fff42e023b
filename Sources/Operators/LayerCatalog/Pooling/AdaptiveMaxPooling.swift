import Bytes
package import GraphIR

/// The largest of the elements that each output element covers.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: the same with these sizes
///
/// Element o of an axis covers the input's elements from the one that o I/O lies in up to the one
/// that (o + 1) I/O ends in, with I the input's size and O the output's.
package struct AdaptiveMaxPooling: AdaptivePoolingOperator {
  /// The sizes of the output's spatial axes; 1 to 2^24 each.
  package let dimensions: [Int]
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "adaptive_max_pooling"
  package static let version = 1

  /// Makes the operator.
  package init(dimensions: [Int], layout: DataLayout) {
    self.dimensions = dimensions
    self.layout = layout
  }
}

extension AdaptiveMaxPooling {
  package func pool(_ window: [Double]) -> Double {
    window.reduce(-.infinity) { $0.isNaN || $0 > $1 ? $0 : $1 }
  }

  package var tolerance: Tolerance { Tolerance(absolute: 0, relative: 0) }
}
