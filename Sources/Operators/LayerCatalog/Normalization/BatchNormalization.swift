package import Bytes
package import GraphIR

/// Batch normalization with the statistics from training (Ioffe and Szegedy 2015): y = gamma (x -
/// mean) / sqrt(variance + epsilon) + beta, each per channel.
///
/// - input: any shape, with the channels along `axis`
/// - gamma, beta, mean, variance: `[channels]`; gamma if `scale` is true, beta if `center` is
/// - output: the input's shape
package struct BatchNormalization: FormulaOperator, ArithmeticOperator {
  /// The axis of the channels, counted from 0, including the batch axis.
  package let axis: Int
  /// Added to the variance.
  package let epsilon: Double
  /// Whether there is a gamma; 1 otherwise.
  package let hasScale: Bool
  /// Whether there is a beta; 0 otherwise.
  package let hasCenter: Bool
  /// The share of the old mean and variance that a step of training keeps; `nil` for 0.99, which is
  /// that of Keras by default and of darknet.
  package let momentum: Double?

  package static let kind = "batch_normalization"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = gamma[c] * (x - mean[c]) / sqrt(variance[c] + epsilon) + beta[c], c the index along axis
    """,
    inputs: [
      .data("input", .float), .weight("gamma", .when("scale")), .weight("beta", .when("center")),
      .weight("mean"), .weight("variance"),
    ],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(axis:epsilon:hasScale:hasCenter:momentum:),
      .axis(\.axis, "The axis of the channels."),
      .epsilon(\.epsilon),
      .boolean("scale", \.hasScale, "Whether there is a gamma; 1 otherwise."),
      .boolean("center", \.hasCenter, "Whether there is a beta; 0 otherwise."),
      .real(
        "momentum", \.momentum, "The share of the old statistics that a step of training keeps.",
        .atLeast(0), .atMost(1), presence: .optional("0.99"))))

  /// Creates the operator.
  package init(
    axis: Int, epsilon: Double, hasScale: Bool, hasCenter: Bool, momentum: Double? = nil
  ) {
    self.axis = axis
    self.epsilon = epsilon
    self.hasScale = hasScale
    self.hasCenter = hasCenter
    self.momentum = momentum == 0.99 ? nil : momentum
  }
}

extension BatchNormalization {
  package func permutingAxes(_ axes: [Int]) -> BatchNormalization? {
    guard let axis = axes.firstIndex(of: axis) else { return nil }
    return BatchNormalization(
      axis: axis, epsilon: epsilon, hasScale: hasScale, hasCenter: hasCenter, momentum: momentum)
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let statistics = make.inputs.suffix(2).map { $0 }
    let root = try make.squareRoot(try make.offset(statistics[1], by: epsilon))
    let mean = try make.aligned(statistics[0], to: [axis], of: x)
    let standardized = try make.quotient(
      try make.difference(x, mean), try make.aligned(root, to: [axis], of: x))
    return try make.affine(standardized, hasScale: hasScale, hasCenter: hasCenter, axes: [axis])
  }
}
