import Bytes
import GraphIR

/// x moved towards 0 by the threshold, stopping at 0 (Donoho 1995).
///
/// Any shape in, the same out. NaN stays NaN.
package struct SoftShrink: ElementwiseOperator {
  /// The distance by which each element is moved.
  package let threshold: Double

  package static let kind = "soft_shrink"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = x - threshold if x > threshold
    y = x + threshold if x < -threshold
    y = 0 otherwise; NaN stays NaN
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(threshold:),
      .real("threshold", \.threshold, "How far each element is moved towards 0.")))

  /// Makes the operator.
  package init(threshold: Double) { self.threshold = threshold }
}

extension SoftShrink {
  package func apply(_ element: Double) -> Double {
    if element > threshold { return element - threshold }
    if element < -threshold { return element + threshold }
    return element.isNaN ? element : 0
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let x = make.inputs[0]
      let isHigh = try make.isGreater(x, threshold)
      let isLow = try make(Comparison(.less), x, try make.number(-threshold, like: x))
      // It is NaN for NaN.
      let rest = try make.chosen(
        isLow, try make.offset(x, by: threshold), try make.linear(x, scale: 0))
      return try make.chosen(isHigh, try make.offset(x, by: -threshold), rest)
    }
  }
}
