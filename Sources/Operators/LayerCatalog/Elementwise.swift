package import Bytes
package import GraphIR

/// An operator that computes each element of its output from the element at the same position: one
/// input, one output of the same type.
package protocol ElementwiseOperator: ArithmeticOperator {
  /// Returns the output element for an input element.
  func apply(_ element: Double) -> Double
}

extension ElementwiseOperator {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType.isFloat else {
      throw ShapeError("\(kind) takes floating-point numbers, not \(inputs[0])")
    }
    return [inputs[0]]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    [Tensor(inputs[0].elementType, shape: inputs[0].shape, inputs[0].doubles.map(apply))]
  }

  package func permutingAxes(_ axes: [Int]) -> Self? { self }
}
