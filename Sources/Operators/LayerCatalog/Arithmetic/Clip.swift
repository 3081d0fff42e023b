import Bytes
import GraphIR

/// Each element, clipped to the range from a minimum to a maximum.
///
/// Any shape; the output has the same shape. NaN stays NaN.
package struct Clip: ScalarOperator, PrimitiveOperator {
  /// The smallest output; may be -∞.
  package let minimum: Double
  /// The largest output, at least the minimum; may be ∞.
  package let maximum: Double

  package static let kind = "clip"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = min(max(x, min), max); NaN stays NaN",
    of: .float,
    attributes: AttributeSchema(
      Self.init(minimum:maximum:),
      .real("min", \.minimum, "The smallest output; may be -infinity.", .notNaN),
      .real("max", \.maximum, "The largest output; may be infinity.", .atLeastThat(of: "min"))))

  /// Creates the operator.
  package init(minimum: Double, maximum: Double) {
    self.minimum = minimum
    self.maximum = maximum
  }
}

extension Clip {
  package func apply(_ element: Double) -> Double {
    // With NaN, the results of `min` and `max` depend on the order of their arguments.
    element.isNaN ? element : min(max(element, minimum), maximum)
  }
}
