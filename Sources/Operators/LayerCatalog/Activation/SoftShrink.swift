package import Bytes
package import GraphIR

/// x moved towards 0 by the threshold, stopping at 0 (Donoho 1995).
///
/// Any shape; the output has the same shape. NaN becomes 0.
package struct SoftShrink: ElementwiseOperator, FormulaOperator {
  /// The distance by which each element is moved.
  package let threshold: Double

  package static let kind = "soft_shrink"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = x - threshold if x > threshold
    y = x + threshold if x < -threshold
    y = 0 otherwise, also of NaN
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(threshold:),
      .real("threshold", \.threshold, "The distance by which each element is moved towards 0.")))

  /// Creates the operator.
  package init(threshold: Double) { self.threshold = threshold }
}

extension SoftShrink {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let isAbove = try make.isGreater(x, threshold)
    let isBelow = try make(Comparison(.less), x, try make.number(-threshold, like: x))
    let otherwise = try make.chosen(
      isBelow, try make.offset(x, by: threshold), try make.number(0, like: x))
    return try make.chosen(isAbove, try make.offset(x, by: -threshold), otherwise)
  }
}
