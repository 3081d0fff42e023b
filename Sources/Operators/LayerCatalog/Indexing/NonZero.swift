package import Bytes
package import GraphIR

/// The indices of the elements that are not 0.
///
/// - input: any element type, with one axis or more
/// - output: int64 `[axes, found]`: the indices of the elements along each axis of the input, in
///   row-major order of the elements
///
/// NaN is not 0. How many elements are found depends on them, so this size is known only when the
/// model runs.
package struct NonZero: PlainOperator, ExactOperator, DataDependentOperator {
  package static let kind = "non_zero"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    output[a, n] = the index along axis a of the nth x that is not 0, in row-major order
    The number of columns depends on the elements.
    """,
    inputs: [.data("input", .any)],
    outputs: [.of(.int64)])

  /// Creates the operator.
  package init() {}
}

extension NonZero {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].rank >= 1 else {
      throw ShapeError("has no axis whose indices could be given: \(inputs[0])")
    }
    return [TensorType(.int64, [.fixed(inputs[0].rank), .unknown])]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = inputs[0].shape
    let found = inputs[0].doubles.enumerated().filter { $0.element != 0 }.map(\.offset)
    let strides = Tensor.rowMajorStrides(shape)
    _ = try Checked.product([shape.count, found.count, 8], of: "the size of the output")
    let indices = zip(strides, shape).flatMap { stride, size in
      found.map { Int64($0 / stride % size) }
    }
    return [Tensor(wrapping: .int64, shape: [shape.count, found.count], indices)]
  }

  /// The order of the found elements would change.
  package func permutingAxes(_ axes: [Int]) -> NonZero? { nil }
}
