package import Bytes
package import GraphIR

/// Looks up a row of a table for each index.
///
/// - input: `[batch, ...]`, indices: numbers of any type, truncated to integers
/// - table: `[indices, features]`
/// - output: `[batch, ..., features]`, in the type of the table
///
/// An index outside of the table is an error when the model runs.
package struct Embedding: ExactOperator, PrimitiveOperator {
  /// What an index below 0 is.
  package enum NegativeIndices: String, Hashable, Sendable, CaseIterable {
    /// It counts from the end of the table.
    case fromEnd = "from_end"
  }

  /// What an index below 0 is; `nil` if it is outside of the table.
  package let negativeIndices: NegativeIndices?

  package static let kind = "embedding"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y[..., :] = table[x[...], :]
    An index below 0 counts from the end, if negative_indices says so: the number of rows is added to it.
    """,
    inputs: [.indices("input", .any, below: .size(ofInput: 1, axis: 0)), .weight("table")],
    outputs: [.like("table")],
    attributes: AttributeSchema(
      Self.init(negativeIndices:),
      .choice(
        "negative_indices", \.negativeIndices, "What an index below 0 is.",
        among: NegativeIndices.allCases,
        presence: .optional("such an index is an error when the model runs")
      ) { _ in "a position from the end of the table, whose last row is -1" }),
    concepts: [.indices])

  /// Creates the operator.
  package init(negativeIndices: NegativeIndices? = nil) {
    self.negativeIndices = negativeIndices
  }
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
    let indices = try indices(inputs[0], rows: inputs[1].shape[0])
    let elements = indices.flatMap { table[$0 * features..<($0 + 1) * features] }
    return [Tensor(inputs[1].elementType, shape: shape, elements)]
  }

  /// The rows that a tensor's elements refer to.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an index without a row.
  package func indices(_ input: Tensor, rows: Int) throws(WeighbridgeError) -> [Int] {
    try input.indices(below: rows, areFromEnd: negativeIndices == .fromEnd)
  }

  /// The output has a different number of axes than the input, so it cannot be transposed with it.
  package func permutingAxes(_ axes: [Int]) -> Embedding? { nil }
}
