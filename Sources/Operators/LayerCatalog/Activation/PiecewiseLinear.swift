package import Bytes
package import GraphIR

/// A continuous piecewise linear function with the given slopes between the knots.
///
/// Any shape; the output has the same shape. It is `value` at the first knot; NaN stays NaN.
package struct PiecewiseLinear: ElementwiseOperator, FormulaOperator {
  /// The positions where the slope changes, ascending, at least one.
  package let knots: [Double]
  /// The slopes, one more than the knots.
  package let slopes: [Double]
  /// The output at the first knot.
  package let value: Double

  package static let kind = "piecewise_linear"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = x if x is NaN
    y = value + slopes[0] * (x - knots[0]) if x <= knots[0]
    otherwise, with knots[count] = infinity:
    y = value + sum over i of slopes[i + 1] * (min(x, knots[i + 1]) - knots[i]), for all \
    knots[i] < x
    A product with a slope of 0 is 0, also at an infinity.
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(knots:slopes:value:),
      .reals(
        "knots", \.knots, "The positions where the slope changes.", .finite, .strictlyIncreasing,
        .minimumCount(1)),
      .reals(
        "slopes", \.slopes,
        """
        The slopes before the first knot, between the knots and after the last one.
        """, .countOf("knots", plus: 1)),
      .real("value", \.value, "The output at the first knot.")))

  /// Creates the operator.
  package init(knots: [Double], slopes: [Double], value: Double) {
    self.knots = knots
    self.slopes = slopes
    self.value = value
  }
}

extension PiecewiseLinear {
  /// The value at the first knot, plus the contribution of each piece whose slope is not 0: a
  /// product of 0 with an infinity would be NaN.
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    var result: ValueID?
    for (index, slope) in slopes.enumerated() where slope != 0 {
      let (start, end) = (
        knots[max(0, index - 1)], index < knots.count ? knots[index] : .infinity
      )
      let piece = try make.clipped(x, index == 0 ? -.infinity : start, end)
      let offset = (result == nil ? value : 0) - slope * start
      let contribution = try make.linear(piece, scale: slope, offset: offset)
      if let sum = result {
        result = try make.sum(sum, contribution)
      } else {
        result = contribution
      }
    }
    if let result { return result }
    // Unlike a constant, this keeps NaN.
    return try make.clipped(x, value, value)
  }
}
