package import Bytes
package import GraphIR

/// An operator that computes each element of its output from the element at the same position: one
/// input, one output of the same type.
package protocol ElementwiseOperator: ArithmeticOperator, PointwiseOperator {}

/// An elementwise operator that is defined by a function of a number.
package protocol ScalarOperator: ElementwiseOperator {
  /// Returns the output element for an input element.
  func apply(_ element: Double) -> Double
}

extension ElementwiseOperator {
  package func permutingAxes(_ axes: [Int]) -> Self? { self }
}

extension ScalarOperator {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType.isFloat else {
      throw ShapeError("\(kind) takes floating-point numbers, not \(inputs[0])")
    }
    return [inputs[0]]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    try evaluate(inputs, to: inputs[0].elementType, workers: workers) { $0[0].map(apply) }
  }

  package func pointwise(_ types: [ElementType]) -> PointwiseFunction? {
    { operands in operands[0].map(apply) }
  }
}
