package import Bytes
package import GraphIR

/// An operator that treats each element by itself: one input, one output of the same type.
///
/// What follows from that, and so is the same for all of them, is defined here.
package protocol ElementwiseOperator: ArithmeticOperator {
  /// The output's element for an input's.
  func apply(_ element: Double) -> Double
}

extension ElementwiseOperator {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType.isFloat else {
      throw ShapeError("\(kind) takes floating-point numbers and has \(inputs[0])")
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
