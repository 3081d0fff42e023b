package import Bytes
package import GraphIR

/// Stretches the contrast of each channel of each image, so that the darkest element becomes `low`
/// and the brightest `high`. A channel whose elements are all equal remains unchanged, and so does an
/// element for which the formula gives NaN.
///
/// - input: `[batch, height, width, channels]`
/// - output: the input's shape
package struct AutoContrast: FormulaOperator, ArithmeticOperator {
  /// The smallest element of the output.
  package let low: Double
  /// The largest element of the output.
  package let high: Double

  package static let kind = "auto_contrast"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    lo, hi = the smallest and the largest element of the channel of the image
    s = min(max(low + (x - lo) / (hi - lo) * (high - low), low), high); NaN if lo is
    y = x if lo = hi or s is NaN, else s
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(low:high:),
      .real("low", \.low, "The smallest element of the output.", .finite),
      .real("high", \.high, "The largest element of the output.", .finite, .aboveThat(of: "low"))))

  /// Creates the operator.
  package init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }
}

extension AutoContrast {
  /// Height and width may be swapped.
  package func permutingAxes(_ axes: [Int]) -> AutoContrast? {
    axes.first == 0 && axes.last == 3 ? self : nil
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    guard make.type(x).rank == 4 else {
      throw .malformed("takes images of floating-point numbers, not \(make.type(x))")
    }
    let darkest = try make(Reduce(.minimum, axes: [1, 2], keepDims: true), x)
    let brightest = try make(Reduce(.maximum, axes: [1, 2], keepDims: true), x)
    let range = try make.difference(brightest, darkest)
    let isFlat = try make(Comparison(.equal), range, try make.number(0, like: range))
    let divisor = try make.chosen(isFlat, try make.number(1, like: range), range)
    let fraction = try make.quotient(try make.difference(x, darkest), divisor)
    let stretched = try make.clipped(
      try make.linear(fraction, scale: high - low, offset: low), low, high)
    let isUndefined = try make(Comparison(.notEqual), stretched, stretched)
    return try make.chosen(try make(LogicalOr(), isFlat, isUndefined), x, stretched)
  }
}
