package import Bytes
package import GraphIR

/// Root mean square normalization (Zhang and Sennrich 2019): y = scale x / sqrt(d + epsilon), where
/// d is the mean of the squares or the variance over `axes`, for each index of the other axes.
///
/// - input: any shape with these axes
/// - scale: the input's sizes along `axes`, in order
/// - output: the input's shape
package struct RMSNormalization: FormulaOperator, ArithmeticOperator {
  /// The statistic whose square root the input is divided by.
  package enum Denominator: String, Hashable, Sendable, CaseIterable {
    /// The mean of the squares.
    case meanSquare = "mean_square"
    /// The variance: the mean of the squared differences of the elements from their mean.
    case variance
  }

  /// The normalized axes, ascending, at least one.
  package let axes: [Int]
  /// The statistic whose square root the input is divided by.
  package let denominator: Denominator
  /// Added to the statistic.
  package let epsilon: Double

  package static let kind = "rms_normalization"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    d = mean of x^2 over the lane, for mean_square
    d = mean of (x - mean of x)^2 over the lane, for variance
    y[i] = scale[i] * x[i] / sqrt(d + epsilon), i the indices along axes
    """,
    inputs: [.data("input", .float), .weight("scale")],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(axes:denominator:epsilon:),
      .axes(\.axes, "The axes over which the mean square, or the variance, is computed."),
      .choice(
        "denominator", \.denominator,
        "What is under the square root; see the formula."
      ) {
        switch $0 {
        case .meanSquare: "the mean of the squares"
        case .variance:
          "the variance, although the mean is not subtracted from the input"
        }
      },
      .epsilon(\.epsilon)),
    concepts: [.lanes])

  /// Creates the operator.
  package init(axes: [Int], denominator: Denominator, epsilon: Double) {
    self.axes = axes
    self.denominator = denominator
    self.epsilon = epsilon
  }
}

extension RMSNormalization {
  /// The scale's axes must keep their order.
  package func permutingAxes(_ order: [Int]) -> RMSNormalization? {
    axes.positions(in: order).map {
      RMSNormalization(axes: $0, denominator: denominator, epsilon: epsilon)
    }
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    var deviation = x
    if denominator == .variance {
      deviation = try make.difference(x, try make.mean(x, axes))
    }
    let meanSquare = try make.mean(try make.product(deviation, deviation), axes)
    let root = try make.squareRoot(try make.offset(meanSquare, by: epsilon))
    return try make.affine(
      try make.quotient(x, root), hasScale: true, hasCenter: false, axes: axes)
  }
}
