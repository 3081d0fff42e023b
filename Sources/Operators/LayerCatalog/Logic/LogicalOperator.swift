package import Bytes
package import GraphIR

/// An operator that combines boolean tensors of the same rank element by element, from the first to
/// the last.
///
/// Along each axis the sizes are equal or 1; axes of size 1 are broadcast.
package protocol LogicalOperator: PlainOperator, ExactOperator {
  /// Combines the result of the previous inputs with the next input's boolean.
  func combine(_ result: Bool, _ next: Bool) -> Bool
}

extension LogicalOperator {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType == .bool else {
      throw ShapeError("takes booleans, not \(inputs[0])")
    }
    return [try Broadcasting.outputTypeOfAny(inputs)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = Broadcasting.outputShape(of: inputs.map(\.shape))
    var booleans = inputs[0].broadcast(to: shape).doubles.map { $0 != 0 }
    for input in inputs.dropFirst() {
      booleans = zip(booleans, input.broadcast(to: shape).doubles).map { combine($0, $1 != 0) }
    }
    return [Tensor(.bool, shape: shape, booleans.map { $0 ? 1 : 0 })]
  }

  package func permutingAxes(_ axes: [Int]) -> Self? { self }
}
