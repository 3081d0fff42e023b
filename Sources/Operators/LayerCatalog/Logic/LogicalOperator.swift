package import Bytes
package import GraphIR

/// An operator that combines booleans of tensors of the same rank, from the first to the last.
///
/// Along each axis the sizes are equal or 1; axes of size 1 are broadcast. The common part of all
/// these operators is defined here.
package protocol LogicalOperator: PlainOperator, ExactOperator {
  /// Combines the result of the previous inputs with the next input's boolean.
  func combine(_ truth: Bool, _ next: Bool) -> Bool
}

extension LogicalOperator {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType == .bool else {
      throw ShapeError("takes booleans and has \(inputs[0])")
    }
    return [try Broadcasting.outputTypeOfAny(inputs)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = Broadcasting.outputShape(of: inputs.map(\.shape))
    var truths = inputs[0].broadcast(to: shape).doubles.map { $0 != 0 }
    for input in inputs.dropFirst() {
      truths = zip(truths, input.broadcast(to: shape).doubles).map { combine($0, $1 != 0) }
    }
    return [Tensor(.bool, shape: shape, truths.map { $0 ? 1 : 0 })]
  }

  package func permutingAxes(_ axes: [Int]) -> Self? { self }
}
