package import Bytes
package import GraphIR

/// x where |x| > threshold, and 0 elsewhere (Donoho and Johnstone 1994).
///
/// Any shape; the output has the same shape. NaN becomes 0.
package struct HardShrink: ElementwiseOperator, FormulaOperator {
  /// The largest magnitude that becomes 0.
  package let threshold: Double

  package static let kind = "hard_shrink"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x if |x| > threshold, else 0, also of NaN",
    of: .float,
    attributes: AttributeSchema(
      Self.init(threshold:),
      .real("threshold", \.threshold, "The largest magnitude that becomes 0.")))

  /// Creates the operator.
  package init(threshold: Double) { self.threshold = threshold }
}

extension HardShrink {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let isLarge = try make.isGreater(try make(UnaryMath(.absolute), x), threshold)
    return try make.chosen(isLarge, x, try make.number(0, like: x))
  }
}
