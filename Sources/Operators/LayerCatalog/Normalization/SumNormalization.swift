package import Bytes
package import GraphIR

/// Division by the sum: x / (epsilon + sum of x along `axes`).
///
/// Any shape with these axes; the output has the same shape.
package struct SumNormalization: ArithmeticOperator {
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
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType.isFloat, axes.allSatisfy(inputs[0].shape.indices.contains) else {
      throw ShapeError("takes floating-point numbers with axes \(axes), not \(inputs[0])")
    }
    return [inputs[0]]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let output = inputs[0].mappingLanes(along: axes, workers: workers) { lane in
      let sum = lane.reduce(epsilon, +)
      return lane.map { $0 / sum }
    }
    return [output]
  }

  package func permutingAxes(_ order: [Int]) -> SumNormalization? {
    SumNormalization(
      axes: order.indices.filter { axes.contains(order[$0]) }, epsilon: epsilon)
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let x = make.inputs[0]
      let sum = try make(Reduce(.sum, axes: axes, keepDims: true), x)
      return try make.quotient(x, try make.offset(sum, by: epsilon))
    }
  }
}
