package import Bytes
package import GraphIR

/// Group normalization (Wu and He 2018): y = gamma (x - mean) / sqrt(variance + epsilon) + beta,
/// with the mean and the variance of each group of channels of each image, and gamma and beta per
/// channel. With one channel per group, it is instance normalization (Ulyanov et al. 2016).
///
/// - input: `[batch, ...]`, with the channels along `axis`
/// - gamma, beta: `[channels]`; gamma if `scale` is true, beta if `center` is
/// - output: the input's shape
///
/// Each group consists of consecutive channels.
package struct GroupNormalization: FormulaOperator, ArithmeticOperator {
  /// The number of groups, which divides the number of channels, at least 1.
  package let groups: Int
  /// The axis of the channels, counted from 0, including the batch axis; at least 1.
  package let axis: Int
  /// Added to the variance.
  package let epsilon: Double
  /// Whether there is a gamma; 1 otherwise.
  package let hasScale: Bool
  /// Whether there is a beta; 0 otherwise.
  package let hasCenter: Bool

  package static let kind = "group_normalization"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    group of channel c: floor(c / (channels / groups))
    mean, variance = over all elements of the same image and group; variance = mean of (x - \
    mean)^2
    y = gamma[c] * (x - mean) / sqrt(variance + epsilon) + beta[c]
    """,
    inputs: [
      .data("input", .float), .weight("gamma", .when("scale")), .weight("beta", .when("center")),
    ],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(groups:axis:epsilon:hasScale:hasCenter:),
      .integer(
        "groups", \.groups, "The number of groups; divides the number of channels.", .atLeast(1)),
      .axis(\.axis, "The axis of the channels.", atLeast: 1),
      .epsilon(\.epsilon),
      .boolean("scale", \.hasScale, "Whether there is a gamma; 1 otherwise."),
      .boolean("center", \.hasCenter, "Whether there is a beta; 0 otherwise.")))

  /// Creates the operator.
  package init(groups: Int, axis: Int, epsilon: Double, hasScale: Bool, hasCenter: Bool) {
    self.groups = groups
    self.axis = axis
    self.epsilon = epsilon
    self.hasScale = hasScale
    self.hasCenter = hasCenter
  }
}

extension GroupNormalization {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard axis < input.rank, input.elementType.isFloat else {
      throw ShapeError("needs floating-point numbers with axis \(axis), not \(input)")
    }
    let channels = input.shape[axis]
    if let count = channels.value, count % groups != 0 {
      throw ShapeError("\(count) channels of \(input) cannot be put into \(groups) equal groups")
    }
    for (position, weight) in inputs.enumerated().dropFirst() {
      guard weight.rank == 1, weight.shape[0].agrees(with: channels) else {
        throw ShapeError(
          "\(slot(position)?.name ?? "") \(weight) does not fit \(channels) channels of \(input)"
        )
      }
    }
    return [input]
  }

  package func permutingAxes(_ axes: [Int]) -> GroupNormalization? {
    guard axes.first == 0, let axis = axes.firstIndex(of: axis) else { return nil }
    return GroupNormalization(
      groups: groups, axis: axis, epsilon: epsilon, hasScale: hasScale, hasCenter: hasCenter)
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let standardized = try make.standardized(make.inputs[0], epsilon: epsilon) {
      (make, x) throws(WeighbridgeError) in
      try mean(x, &make)
    }
    return try make.affine(standardized, hasScale: hasScale, hasCenter: hasCenter, axes: [axis])
  }

  /// The mean of each channel's group, with size 1 along all axes except the batch and the
  /// channels. It is the mean of the means of the group's channels, which all have the same number
  /// of elements.
  private func mean(
    _ x: ValueID, _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let (rank, channels) = (make.type(x).rank, try make.size(x, axis: axis))
    let means = try make.mean(x, (1..<rank).filter { $0 != axis })
    let size = channels / groups
    let grouped = try make.mean(try make(Reshape(target: [groups, size]), means), [2])
    let broadcast = try make(BroadcastTo(target: [-1, groups, size]), grouped)
    let shape = (1..<rank).map { $0 == axis ? channels : 1 }
    return try make(Reshape(target: shape), broadcast)
  }
}
