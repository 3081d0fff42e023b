package import Bytes
package import GraphIR

/// Looks up a row of a table for each index.
///
/// - input: `[batch, ...]`, indices: numbers of any type, truncated to integers
/// - table: `[indices, features]`
/// - output: `[batch, ..., features]`, in the type of the table
///
/// An index outside of the table is an error when the model runs.
package struct Embedding: PlainOperator, ExactOperator, PrimitiveOperator {
  package static let kind = "embedding"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y[..., :] = table[x[...], :]",
    inputs: [.indices("input", .any, below: .size(ofInput: 1, axis: 0)), .weight("table")],
    outputs: [.like("table")],
    concepts: [.indices])

  /// Creates the operator.
  package init() {}
}

extension Embedding {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, table) = (inputs[0], inputs[1])
    guard table.rank == 2, table.elementType.isFloat else {
      throw ShapeError("the table \(table) is not [indices, features]")
    }
    return [table.with(shape: input.shape + [table.shape[1]])]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let (table, features) = (inputs[1].doubles, inputs[1].shape[1])
    let indices = try inputs[0].indices(below: inputs[1].shape[0])
    let elements = indices.flatMap { table[$0 * features..<($0 + 1) * features] }
    return [Tensor(inputs[1].elementType, shape: shape, elements)]
  }

  /// The output has a different number of axes than the input, so it cannot be transposed with it.
  package func permutingAxes(_ axes: [Int]) -> Embedding? { nil }
}
