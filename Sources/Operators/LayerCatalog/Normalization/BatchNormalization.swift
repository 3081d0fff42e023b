package import Bytes
package import GraphIR

/// Batch normalization with the statistics from training (Ioffe and Szegedy 2015): y = gamma (x -
/// mean) / sqrt(variance + epsilon) + beta, each per channel.
///
/// - input: any shape, with the channels along `axis`
/// - gamma, beta, mean, variance: `[channels]`; gamma if `scale` is true, beta if `center` is
/// - output: the input's shape
package struct BatchNormalization: ArithmeticOperator {
  /// The axis of the channels, counted from 0, including the batch axis.
  package let axis: Int
  /// Added to the variance.
  package let epsilon: Double
  /// Whether there is a gamma; 1 otherwise.
  package let hasScale: Bool
  /// Whether there is a beta; 0 otherwise.
  package let hasCenter: Bool

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
      Self.init(axis:epsilon:hasScale:hasCenter:),
      .axis(\.axis, "The axis of the channels."),
      .epsilon(\.epsilon),
      .boolean("scale", \.hasScale, "Whether there is a gamma; 1 otherwise."),
      .boolean("center", \.hasCenter, "Whether there is a beta; 0 otherwise.")))

  /// Creates the operator.
  package init(axis: Int, epsilon: Double, hasScale: Bool, hasCenter: Bool) {
    self.axis = axis
    self.epsilon = epsilon
    self.hasScale = hasScale
    self.hasCenter = hasCenter
  }
}

extension BatchNormalization {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard axis < input.rank, input.elementType.isFloat else {
      throw ShapeError("needs floating-point numbers with axis \(axis), not \(input)")
    }
    for (position, weight) in inputs.enumerated().dropFirst() {
      guard weight.shape == inputs[1].shape, weight.rank == 1,
        weight.shape[0].agrees(with: input.shape[axis])
      else {
        let name = slot(position)?.name ?? ""
        throw ShapeError(
          "\(name) \(weight) does not fit the \(input.shape[axis]) channels of \(input)")
      }
    }
    return [input]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = inputs[0].shape
    var weights = inputs.dropFirst().map(\.doubles)
    let gamma = hasScale ? weights.removeFirst() : nil
    let beta = hasCenter ? weights.removeFirst() : nil
    let (mean, variance) = (weights[0], weights[1])
    let factors = variance.indices.map { (gamma?[$0] ?? 1) / (variance[$0] + epsilon).squareRoot() }
    let run = shape[(axis + 1)...].reduce(1, *)
    var elements = inputs[0].doubles
    var next = 0
    for _ in 0..<shape[..<axis].reduce(1, *) {
      for channel in 0..<shape[axis] {
        for index in next..<next + run {
          elements[index] =
            (elements[index] - mean[channel]) * factors[channel] + (beta?[channel] ?? 0)
        }
        next += run
      }
    }
    return [Tensor(inputs[0].elementType, shape: shape, elements)]
  }

  package func permutingAxes(_ axes: [Int]) -> BatchNormalization? {
    guard let axis = axes.firstIndex(of: axis) else { return nil }
    return BatchNormalization(
      axis: axis, epsilon: epsilon, hasScale: hasScale, hasCenter: hasCenter)
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let (x, rank) = (make.inputs[0], make.type(make.inputs[0]).rank)
      let statistics = make.inputs.suffix(2).map { $0 }
      let root = try make.squareRoot(try make.offset(statistics[1], by: epsilon))
      let mean = try make.aligned(statistics[0], to: [axis], rank: rank)
      let standardized = try make.quotient(
        try make.difference(x, mean), try make.aligned(root, to: [axis], rank: rank))
      return try make.affine(standardized, hasScale: hasScale, hasCenter: hasCenter, axes: [axis])
    }
  }
}
