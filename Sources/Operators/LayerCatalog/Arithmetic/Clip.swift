package import Bytes
package import GraphIR

/// Each element, moved into the range from a minimum to a maximum.
///
/// Any shape in, the same out. NaN stays NaN.
package struct Clip: ElementwiseOperator {
  /// The smallest output; may be -∞.
  package let minimum: Double
  /// The largest output, at least the minimum; may be ∞.
  package let maximum: Double

  package static let kind = "clip"
  package static let version = 1

  package var attributes: Attributes { ["min": .real(minimum), "max": .real(maximum)] }

  package static var definition: OperatorDefinition {
    .elementwise(
      "y = min(max(x, min), max); NaN stays NaN",
      .real("min", "The smallest output; may be -infinity.", .notNaN),
      .real("max", "The largest output; may be infinity.", .atLeastThat(of: "min")))
  }

  /// Makes the operator.
  package init(minimum: Double, maximum: Double) {
    self.minimum = minimum
    self.maximum = maximum
  }
}

extension Clip {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    minimum = try attributes.real("min")
    maximum = try attributes.real("max")
    guard minimum <= maximum else {
      throw attributes.malformed("clips to \(minimum)...\(maximum)")
    }
  }

  package func apply(_ element: Double) -> Double {
    // `min` and `max` of a NaN depend on the order of their arguments.
    element.isNaN ? element : min(max(element, minimum), maximum)
  }

  package var decomposition: Decomposition { .primitive }
}
