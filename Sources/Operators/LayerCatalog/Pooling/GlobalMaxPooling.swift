import Bytes
package import GraphIR

/// The largest of all elements of a channel.
///
/// NaN takes precedence over every number, unlike in ``MaxPooling``, as in TensorFlow.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: `[batch, channels]`, or the input's axes with size 1 along each spatial one
package struct GlobalMaxPooling: GlobalPoolingOperator, ExactOperator {
  /// Whether the output keeps the spatial axes, with size 1.
  package let keepDims: Bool
  /// The order of the input's axes.
  package let layout: DataLayout

  package static let kind = "global_max_pooling"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y[n, c] = the largest element of channel c of image n; NaN if one is NaN",
    of: .float,
    attributes: attributeSchema)

  /// Creates the operator.
  package init(keepDims: Bool, layout: DataLayout) {
    self.keepDims = keepDims
    self.layout = layout
  }
}

extension GlobalMaxPooling {
  package static var function: Reduce.Function { .maximum }
}
