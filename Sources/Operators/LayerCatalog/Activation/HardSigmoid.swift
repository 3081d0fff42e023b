package import Bytes
package import GraphIR

/// A piecewise linear approximation of the sigmoid: alpha · x + beta, clipped to 0...1 (Courbariaux
/// et al. 2015).
///
/// Any shape; the output has the same shape. NaN stays NaN.
package struct HardSigmoid: ElementwiseOperator, FormulaOperator {
  /// The slope of the line.
  package let slope: Double
  /// The output at 0.
  package let offset: Double

  package static let kind = "hard_sigmoid"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = min(max(alpha * x + beta, 0), 1); NaN stays NaN",
    of: .float,
    attributes: AttributeSchema(
      Self.init(slope:offset:),
      .real("alpha", \.slope, "The slope."),
      .real("beta", \.offset, "The output at 0.")))

  /// Creates the operator.
  package init(slope: Double, offset: Double) {
    self.slope = slope
    self.offset = offset
  }
}

extension HardSigmoid {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    try make.clipped(try make.linear(make.inputs[0], scale: slope, offset: offset), 0, 1)
  }
}
