import Bytes
package import GraphIR

/// The largest of the elements that each output element covers.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: the same with these sizes
package struct AdaptiveMaxPooling: AdaptivePoolingOperator, ExactOperator {
  /// The sizes of the output's spatial axes, 1 to 2^24 each.
  package let dimensions: [Int]
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "adaptive_max_pooling"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    Element o of an axis of output size O, from an input size I, covers
      the elements from floor(o * I / O) up to ceil((o + 1) * I / O) - 1.
    y = the largest of the covered elements; NaN if one is NaN
    """,
    of: .float,
    attributes: attributeSchema)

  /// Creates the operator.
  package init(dimensions: [Int], layout: DataLayout) {
    self.dimensions = dimensions
    self.layout = layout
  }
}

extension AdaptiveMaxPooling {
  package static var function: Reduce.Function { .maximum }
}
