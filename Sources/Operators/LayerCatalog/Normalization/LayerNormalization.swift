package import Bytes
package import GraphIR

/// Layer normalization (Ba et al. 2016): y = gamma (x - mean) / sqrt(variance + epsilon) + beta,
/// with the mean and the variance over `axes` for each index of the other axes.
///
/// - input: any shape with these axes
/// - gamma, beta: the input's sizes along `axes`, in order; gamma if `scale` is true, beta if
///   `center` is
/// - output: the input's shape
package struct LayerNormalization: FormulaOperator, ArithmeticOperator {
  /// The normalized axes, ascending, at least one.
  package let axes: [Int]
  /// Added to the variance.
  package let epsilon: Double
  /// Whether there is a gamma; 1 otherwise.
  package let hasScale: Bool
  /// Whether there is a beta; 0 otherwise.
  package let hasCenter: Bool

  package static let kind = "layer_normalization"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    mean, variance = over the elements of a lane; variance = mean of (x - mean)^2
    y[i] = gamma[i] * (x[i] - mean) / sqrt(variance + epsilon) + beta[i], i the indices along axes
    """,
    inputs: [
      .data("input", .float), .weight("gamma", .when("scale")), .weight("beta", .when("center")),
    ],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(axes:epsilon:hasScale:hasCenter:),
      .axes(\.axes, "The axes over which the mean and the variance are computed."),
      .epsilon(\.epsilon),
      .boolean("scale", \.hasScale, "Whether there is a gamma; 1 otherwise."),
      .boolean("center", \.hasCenter, "Whether there is a beta; 0 otherwise.")),
    concepts: [.lanes])

  /// Creates the operator.
  package init(axes: [Int], epsilon: Double, hasScale: Bool, hasCenter: Bool) {
    self.axes = axes
    self.epsilon = epsilon
    self.hasScale = hasScale
    self.hasCenter = hasCenter
  }
}

extension LayerNormalization {
  /// The weights' axes must keep their order.
  package func permutingAxes(_ order: [Int]) -> LayerNormalization? {
    axes.positions(in: order).map {
      LayerNormalization(axes: $0, epsilon: epsilon, hasScale: hasScale, hasCenter: hasCenter)
    }
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let standardized = try make.standardized(make.inputs[0], epsilon: epsilon) {
      (make, x) throws(WeighbridgeError) in
      try make.mean(x, axes)
    }
    return try make.affine(standardized, hasScale: hasScale, hasCenter: hasCenter, axes: axes)
  }
}
