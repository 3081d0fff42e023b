package import Bytes
package import GraphIR

/// Scaling to unit length: x / sqrt(max(sum of x² along `axes`, `epsilon`)).
///
/// Any shape with these axes; the output has the same shape. Version 2 has `epsilon`, which was
/// 10⁻¹² before.
package struct UnitNormalization: LanewiseOperator, FormulaOperator {
  /// The axes along which the squares of the outputs add up to 1, ascending, at least one.
  package let axes: [Int]
  /// The least sum of squares: smaller sums count as this one. `nil` is 10⁻¹².
  package let epsilon: Double?

  package static let kind = "unit_normalization"
  package static let version = 2
  package static let earliestVersion = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y[i] = x[i] / sqrt(max(sum over j of x[j]^2, epsilon)); a NaN in the sum stays NaN",
    of: .float,
    attributes: AttributeSchema(
      Self.init(axes:epsilon:),
      .axes(\.axes, "The axes along which the squares of the outputs add up to 1."),
      leastSum(\.epsilon)),
    concepts: [.lanes])

  /// The attribute `epsilon` of an operator that scales to unit length.
  static func leastSum<Operation>(
    _ value: @escaping @Sendable (Operation) -> Double?
  ) -> AttributeField<Operation, Double?> {
    .real(
      "epsilon", value, "The least sum of squares: smaller sums count as this one.",
      .atLeast(0), .finite, presence: .optional("1e-12"))
  }

  /// Creates the operator.
  package init(axes: [Int], epsilon: Double?) {
    self.axes = axes
    self.epsilon = epsilon == 1e-12 ? nil : epsilon
  }

  package init(axes: [Int]) { self.init(axes: axes, epsilon: nil) }
}

extension UnitNormalization {
  /// The least sum of squares.
  package var leastSum: Double { epsilon ?? 1e-12 }

  package func permutingAxes(_ order: [Int]) -> UnitNormalization? {
    UnitNormalization(
      axes: order.indices.filter { axes.contains(order[$0]) }, epsilon: epsilon)
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let sum = try make(Reduce(.sum, axes: axes, keepDims: true), try make.product(x, x))
    let minimum = try make.number(leastSum, like: sum)
    return try make.quotient(x, try make.squareRoot(try make(Maximum(), sum, minimum)))
  }
}
