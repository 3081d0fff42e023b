import Bytes
package import GraphIR

/// The mean of the elements that each output element covers.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: the same with these sizes
package struct AdaptiveAveragePooling: AdaptivePoolingOperator, ArithmeticOperator {
  /// The sizes of the output's spatial axes, 1 to 2^24 each.
  package let dimensions: [Int]
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "adaptive_average_pooling"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    Element o of an axis of output size O, from an input size I, covers
      the elements from floor(o * I / O) up to ceil((o + 1) * I / O) - 1.
    y = the mean of the covered elements
    """,
    of: .float,
    attributes: attributeSchema)

  /// Creates the operator.
  package init(dimensions: [Int], layout: DataLayout) {
    self.dimensions = dimensions
    self.layout = layout
  }
}

extension AdaptiveAveragePooling {
  package static var function: Reduce.Function { .mean }
}
