package import Bytes
package import GraphIR

/// An operator whose output are booleans, each computed from the elements at the same position.
package protocol LogicalOperator: ExactOperator, PointwiseOperator {
  /// The computation for inputs of any types.
  var function: PointwiseFunction { get }
}

extension LogicalOperator {
  package func pointwise(_ types: [ElementType]) -> PointwiseFunction? { function }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    try evaluate(inputs, to: .bool, workers: workers, function)
  }

  package func permutingAxes(_ axes: [Int]) -> Self? { self }
}
