package import Bytes
package import GraphIR

/// Normalization with stored statistics of the data: y = (x - mean) / d, or the inverse, y = mean +
/// x d, where d = max(sqrt(variance), epsilon).
///
/// - input: any shape with these axes; numbers of any type
/// - mean, variance: the input's sizes along `axes`, in order; scalars if there are no axes
/// - output: the input's shape, in the type of the weights
package struct Normalization: ArithmeticOperator {
  /// The axes along which the statistics differ, ascending; may be empty.
  package let axes: [Int]
  /// Whether the normalization is inverted.
  package let isInverse: Bool
  /// The lower limit of the standard deviation, more than 0.
  package let minimumDeviation: Double

  package static let kind = "normalization"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    d = max(sqrt(variance), epsilon)
    y = (x - mean) / d, or mean + x * d if invert; mean and d by the indices along axes
    """,
    inputs: [
      .data("input", .any), .weight("mean"),
      .weight("variance", .same(as: "mean")),
    ],
    outputs: [.like("mean")],
    attributes: AttributeSchema(
      Self.init(axes:isInverse:minimumDeviation:),
      .axes(
        \.axes,
        """
        The axes along which the statistics differ; none for a single mean and variance.
        """, atLeast: 0),
      .boolean(
        "invert", \.isInverse, "Whether the inverse is computed."),
      .real(
        "epsilon", \.minimumDeviation, "The lower limit of the standard deviation.",
        .above(0), .finite)))

  /// Creates the operator.
  package init(axes: [Int], isInverse: Bool, minimumDeviation: Double) {
    self.axes = axes
    self.isInverse = isInverse
    self.minimumDeviation = minimumDeviation
  }
}

extension Normalization {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, mean, variance) = (inputs[0], inputs[1], inputs[2])
    guard axes.allSatisfy(input.shape.indices.contains) else {
      throw ShapeError("has statistics for the axes \(axes), but the input is \(input)")
    }
    guard mean == variance, mean.elementType.isFloat, mean.rank == axes.count,
      zip(mean.shape, axes).allSatisfy({ $0.agrees(with: input.shape[$1]) })
    else {
      throw ShapeError(
        "the mean \(mean) and the variance \(variance) do not fit the axes \(axes) of \(input)")
    }
    return [TensorType(mean.elementType, input.shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = inputs[0].shape
    let dimensions = shape.indices.map { axes.contains($0) ? shape[$0] : 1 }
    let statistics = inputs.dropFirst().map {
      $0.reshaped(dimensions).broadcast(to: shape).doubles
    }
    var elements = inputs[0].doubles
    for index in elements.indices {
      let mean = statistics[0][index]
      let deviation = max(statistics[1][index].squareRoot(), minimumDeviation)
      elements[index] =
        isInverse ? mean + elements[index] * deviation : (elements[index] - mean) / deviation
    }
    return [Tensor(inputs[1].elementType, shape: shape, elements)]
  }

  /// The statistics' axes must keep their order.
  package func permutingAxes(_ order: [Int]) -> Normalization? {
    axes.positions(in: order).map {
      Normalization(axes: $0, isInverse: isInverse, minimumDeviation: minimumDeviation)
    }
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let (input, rank) = (make.inputs[0], make.type(make.inputs[0]).rank)
      let elementType = make.type(make.inputs[1]).elementType
      let isCast = make.type(input).elementType != elementType
      let x = isCast ? try make(Cast(to: elementType), input) : input
      let mean = try make.aligned(make.inputs[1], to: axes, rank: rank)
      let variance = try make.aligned(make.inputs[2], to: axes, rank: rank)
      let root = try make.squareRoot(variance)
      let minimum = try make.number(minimumDeviation, like: root)
      let deviation = try make(Maximum(), root, minimum)
      return isInverse
        ? try make.sum(try make.product(x, deviation), mean)
        : try make.quotient(try make.difference(x, mean), deviation)
    }
  }
}
