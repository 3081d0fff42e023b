import Bytes
import GraphIR

/// The rectifier (Nair and Hinton 2010), with the extensions of Keras' `ReLU`.
///
/// Any shape; the output has the same shape. NaN stays NaN.
package struct ReLU: ScalarOperator {
  /// The factor for elements up to the threshold; 0 for the plain rectifier.
  package let slope: Double
  /// The largest element to which the slope applies; 0 for the plain rectifier.
  package let threshold: Double
  /// The largest output, at least 0, when there is a limit.
  package let maximum: Double?

  package static let kind = "relu"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = x if x is NaN
    y = 0 if x <= threshold and negative_slope = 0, also at -infinity
    y = negative_slope * (x - threshold) if x <= threshold
    y = min(max(x, 0), max_value) if there is a max_value
    y = x otherwise
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(slope:threshold:maximum:),
      .real("negative_slope", \.slope, "The slope up to the threshold."),
      .real("threshold", \.threshold, "The largest element that is treated as negative."),
      .real(
        "max_value", \.maximum, "The largest output.", .atLeast(0), presence: .optional("no bound"))
    ))

  /// Creates the operator.
  package init(slope: Double, threshold: Double, maximum: Double?) {
    self.slope = slope
    self.threshold = threshold
    self.maximum = maximum
  }
}

extension ReLU {
  package func apply(_ element: Double) -> Double {
    if element.isNaN { return element }
    // Avoids the NaN of 0 times -∞.
    guard element > threshold else { return slope == 0 ? 0 : slope * (element - threshold) }
    guard let maximum else { return element }
    return min(max(element, 0), maximum)
  }

  package var decomposition: Decomposition {
    if threshold == 0, slope >= 0 || maximum == nil { return .primitive }
    return Composition.of { [self] (make) throws(WeighbridgeError) in
      let x = make.inputs[0]
      // 0 · x would be NaN for an infinity, and a constant 0 would not keep NaN.
      let lower =
        slope == 0
        ? try make.clipped(x, 0, 0)
        : try make.linear(x, scale: slope, offset: -slope * threshold)
      let upper = try maximum.map { (maximum) throws(WeighbridgeError) in
        try make.clipped(x, 0, maximum)
      }
      return try make(Where(), try make.isGreater(x, threshold), upper ?? x, lower)
    }
  }
}
