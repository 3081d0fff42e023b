package import Bytes
package import GraphIR

/// Scaling to unit length: x / sqrt(max(sum of x² along `axes`, 10⁻¹²)).
///
/// Any shape with these axes; the output has the same shape.
package struct UnitNormalization: LanewiseOperator, FormulaOperator {
  /// The axes along which the squares of the outputs add up to 1, ascending, at least one.
  package let axes: [Int]

  package static let kind = "unit_normalization"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>.lanewise(
    "y[i] = x[i] / sqrt(max(sum over j of x[j]^2, 1e-12)); a NaN in the sum stays NaN",
    "The axes along which the squares of the outputs add up to 1.")

  /// Creates the operator.
  package init(axes: [Int]) { self.axes = axes }
}

extension UnitNormalization {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let sum = try make(Reduce(.sum, axes: axes, keepDims: true), try make.product(x, x))
    let minimum = try make.number(1e-12, like: sum)
    return try make.quotient(x, try make.squareRoot(try make(Maximum(), sum, minimum)))
  }
}
