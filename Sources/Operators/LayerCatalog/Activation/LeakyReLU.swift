package import Bytes
package import GraphIR

/// The leaky rectifier: x where x > 0, and negative_slope · x elsewhere (Maas et al. 2013).
///
/// Any shape; the output has the same shape.
package struct LeakyReLU: ElementwiseOperator, FormulaOperator {
  /// The factor for negative elements.
  package let slope: Double

  package static let kind = "leaky_relu"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x if x > 0, else negative_slope * x",
    of: .float,
    attributes: AttributeSchema(
      Self.init(slope:),
      .real("negative_slope", \.slope, "The factor of elements up to 0.")))

  /// Creates the operator.
  package init(slope: Double) { self.slope = slope }
}

extension LeakyReLU {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    // A rectifier of slope 0 makes 0 of -infinity, and 0 · -infinity is NaN.
    if slope == 0 {
      return try make.chosen(try make.isGreater(x, 0), x, try make.linear(x, scale: 0))
    }
    return try make(ReLU(slope: slope, threshold: 0, maximum: nil), x)
  }
}
