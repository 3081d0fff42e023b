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
  /// The output has a different number of axes than the input, so it cannot be transposed with it.
  package func permutingAxes(_ axes: [Int]) -> FlattenTime? { nil }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let type = make.type(make.inputs[0])
    guard type.rank >= 2 else { throw .malformed("has no batch and time axes: \(type)") }
    let steps = (try? Dimension.product(type.shape[..<2]))?.value
    let trailing = (2..<type.rank).map { ReshapeAxes.Size.axis($0) }
    return try make(ReshapeAxes([steps.map { .fixed($0) } ?? .rest] + trailing), make.inputs[0])
  }
}
