package import Bytes
package import GraphIR

/// The inverse of ``FlattenTime``: splits the first axis into the batch and time axes of another
/// tensor.
///
/// - input: `[batch * time, ...]`, of any element type
/// - sequence: `[batch, time, ...]`, of which only these two sizes are used
/// - output: `[batch, time, ...]`
package struct UnflattenTime: FormulaOperator, PlainOperator, ExactOperator {
  package static let kind = "unflatten_time"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "output[n, t, ...] = input[n * T + t, ...], T the size of axis 1 of sequence",
    inputs: [.data("input", .any), .data("sequence", .any)],
    outputs: [.like("input")])

  /// Creates the operator.
  package init() {}
}

extension UnflattenTime {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, sequence) = (inputs[0], inputs[1])
    guard sequence.rank >= 2, input.rank >= 1 else {
      throw ShapeError("\(input) cannot get the first two axes of \(sequence)")
    }
    let steps = try Dimension.product(sequence.shape[..<2])
    guard input.shape[0].agrees(with: steps) else {
      throw ShapeError("\(input) does not have as many steps as \(sequence)")
    }
    return [input.with(shape: Array(sequence.shape[..<2] + input.shape[1...]))]
  }

  /// The output has a different number of axes than the input, so it cannot be transposed with it.
  package func permutingAxes(_ axes: [Int]) -> UnflattenTime? { nil }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let trailing = (1..<make.type(make.inputs[0]).rank).map { ReshapeAxes.Size.axis($0) }
    let batch = make.type(make.inputs[1]).shape[0].value
    let sequences = batch.map { ReshapeAxes.Size.fixed($0) } ?? .rest
    let steps = try make.size(make.inputs[1], axis: 1)
    return try make(ReshapeAxes([sequences, .fixed(steps)] + trailing), make.inputs[0])
  }
}
