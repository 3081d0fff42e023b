package import Bytes
package import GraphIR

/// Permutes the axes of a tensor.
///
/// - input: any shape and element type
/// - output: axis i is the input's axis `axes[i]`
package struct Transpose: ExactOperator, PrimitiveOperator {
  /// Each axis of the input once, including the batch axis (0).
  package let axes: [Int]

  package static let kind = "transpose"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "output[i[axes[0]], i[axes[1]], ...] = input[i[0], i[1], ...]",
    of: .any,
    attributes: AttributeSchema(
      Self.init(axes:),
      .integers(
        "axes", \.axes, "For each axis of the output, the axis of the input, including axis 0.",
        .permutation
      ).explained(by: .axes)))

  /// Creates the operator.
  package init(axes: [Int]) {
    self.axes = axes
  }
}

extension Transpose {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard input.rank == axes.count else {
      throw ShapeError("cannot transpose \(input) with \(axes.count.counted("axis"))")
    }
    return [input.with(shape: axes.map { input.shape[$0] })]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    [inputs[0].permuted(axes)]
  }

  package func permutingAxes(_ order: [Int]) -> Transpose? {
    guard order.count == axes.count else { return nil }
    // Axis i of the new output is axis order[i] of the old output, which is axis axes[order[i]] of
    // the old input.
    return Transpose(axes: order.compactMap { order.firstIndex(of: axes[$0]) })
  }
}
