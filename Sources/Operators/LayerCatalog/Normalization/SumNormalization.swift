package import Bytes
package import GraphIR

/// Division by the sum: x / (epsilon + sum of x along `axes`).
///
/// Any shape with these axes; the output has the same shape.
package struct SumNormalization: FormulaOperator, ArithmeticOperator {
  /// The axes that are summed over, ascending, at least one.
  package let axes: [Int]
  /// Added to the sum.
  package let epsilon: Double

  package static let kind = "sum_normalization"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y[i] = x[i] / (epsilon + sum over j of x[j]), i and j in one lane",
    of: .float,
    attributes: AttributeSchema(
      Self.init(axes:epsilon:),
      .axes(\.axes, "The axes that are summed over."),
      .real("epsilon", \.epsilon, "Added to the sum.")),
    concepts: [.lanes])

  /// Creates the operator.
  package init(axes: [Int], epsilon: Double) {
    self.axes = axes
    self.epsilon = epsilon
  }
}

extension SumNormalization {
  package func permutingAxes(_ order: [Int]) -> SumNormalization? {
    SumNormalization(
      axes: order.indices.filter { axes.contains(order[$0]) }, epsilon: epsilon)
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let sum = try make(Reduce(.sum, axes: axes, keepDims: true), x)
    return try make.quotient(x, try make.offset(sum, by: epsilon))
  }
}
