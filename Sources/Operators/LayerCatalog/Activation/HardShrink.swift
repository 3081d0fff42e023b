import Bytes
import GraphIR

/// x where |x| > threshold, and 0 elsewhere (Donoho and Johnstone 1994).
///
/// Any shape; the output has the same shape. NaN stays NaN.
package struct HardShrink: ElementwiseOperator {
  /// The largest magnitude that becomes 0.
  package let threshold: Double

  package static let kind = "hard_shrink"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = 0 if |x| <= threshold, else x",
    of: .float,
    attributes: AttributeSchema(
      Self.init(threshold:),
      .real("threshold", \.threshold, "The largest magnitude that becomes 0.")))

  /// Creates the operator.
  package init(threshold: Double) { self.threshold = threshold }
}

extension HardShrink {
  package func apply(_ element: Double) -> Double {
    // The comparison is false for NaN, which is returned unchanged.
    abs(element) <= threshold ? 0 : element
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let x = make.inputs[0]
      let bound = try make.number(threshold, like: x)
      let isSmall = try make(Comparison(.lessOrEqual), try make(UnaryMath(.absolute), x), bound)
      return try make.chosen(isSmall, try make.number(0, like: x), x)
    }
  }
}
