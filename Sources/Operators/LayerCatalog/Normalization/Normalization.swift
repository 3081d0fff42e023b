package import Bytes
package import GraphIR

/// Normalization with stored statistics of the data: y = (x - mean) / d, or the inverse, y = mean +
/// x d, where d = max(sqrt(variance), epsilon).
///
/// - input: any shape with these axes; numbers of any type
/// - mean, variance: the input's sizes along `axes`, in order; scalars if there are no axes
/// - output: the input's shape, in the type of the weights
package struct Normalization: FormulaOperator, ArithmeticOperator {
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
  /// The statistics' axes must keep their order.
  package func permutingAxes(_ order: [Int]) -> Normalization? {
    axes.positions(in: order).map {
      Normalization(axes: $0, isInverse: isInverse, minimumDeviation: minimumDeviation)
    }
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let input = make.inputs[0]
    let elementType = make.type(make.inputs[1]).elementType
    let isCast = make.type(input).elementType != elementType
    let x = isCast ? try make(Cast(to: elementType), input) : input
    let mean = try make.aligned(make.inputs[1], to: axes, of: x)
    let variance = try make.aligned(make.inputs[2], to: axes, of: x)
    let root = try make.squareRoot(variance)
    let minimum = try make.number(minimumDeviation, like: root)
    let deviation = try make(Maximum(), root, minimum)
    return isInverse
      ? try make.sum(try make.product(x, deviation), mean)
      : try make.quotient(try make.difference(x, mean), deviation)
  }
}
