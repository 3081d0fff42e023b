import Bytes
package import GraphIR

/// The mean of all elements of a channel (Lin et al. 2013).
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: `[batch, channels]`, or the input's axes with size 1 along each spatial one
package struct GlobalAveragePooling: GlobalPoolingOperator, ArithmeticOperator {
  /// Whether the output keeps the spatial axes, with size 1.
  package let keepDims: Bool
  /// The order of the input's axes.
  package let layout: DataLayout

  package static let kind = "global_average_pooling"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y[n, c] = the mean of all elements of channel c of image n",
    of: .float,
    attributes: attributeSchema)

  /// Creates the operator.
  package init(keepDims: Bool, layout: DataLayout) {
    self.keepDims = keepDims
    self.layout = layout
  }
}

extension GlobalAveragePooling {
  package static var function: Reduce.Function { .mean }
}
