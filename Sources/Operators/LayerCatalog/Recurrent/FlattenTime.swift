package import Bytes
package import GraphIR

/// Merges the batch axis and the time axis, so that each step becomes independent.
///
/// - input: `[batch, time, ...]`, of any element type
/// - output: `[batch * time, ...]`; the steps of each sequence are consecutive
package struct FlattenTime: FormulaOperator, PlainOperator, ExactOperator {
  package static let kind = "flatten_time"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "output[n * T + t, ...] = input[n, t, ...], T the size of axis 1",
    of: .any)

  /// Creates the operator.
  package init() {}
}

extension FlattenTime {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].rank >= 2 else { throw ShapeError("has no batch and time axes: \(inputs[0])") }
    let steps = try Dimension.product(inputs[0].shape[..<2])
    return [inputs[0].with(shape: [steps] + inputs[0].shape[2...])]
  }

  /// The output has a different number of axes than the input, so it cannot be transposed with it.
  package func permutingAxes(_ axes: [Int]) -> FlattenTime? { nil }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let shape = make.type(make.inputs[0]).shape
    guard shape.count >= 2 else { throw .malformed("has no batch and time axes") }
    var steps = ReshapeAxes.Size.rest
    if let batch = shape[0].value, let time = shape[1].value { steps = .fixed(batch * time) }
    let trailing = (2..<shape.count).map { ReshapeAxes.Size.axis($0) }
    return try make(ReshapeAxes([steps] + trailing), make.inputs[0])
  }
}
