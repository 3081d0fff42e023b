package import Bytes
package import GraphIR

/// x where x > threshold, and a fixed value elsewhere, also for NaN.
///
/// Any shape; the output has the same shape.
package struct Threshold: ElementwiseOperator, FormulaOperator {
  /// The largest element that is replaced.
  package let threshold: Double
  /// The value that replaces it.
  package let replacement: Double

  package static let kind = "threshold"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x if x > threshold, else value",
    of: .float,
    attributes: AttributeSchema(
      Self.init(threshold:replacement:),
      .real("threshold", \.threshold, "The largest element that is replaced."),
      .real("value", \.replacement, "The replacement.")))

  /// Creates the operator.
  package init(threshold: Double, replacement: Double) {
    self.threshold = threshold
    self.replacement = replacement
  }
}

extension Threshold {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    return try make(
      Where(), try make.isGreater(x, threshold), x, try make.number(replacement, like: x))
  }
}
