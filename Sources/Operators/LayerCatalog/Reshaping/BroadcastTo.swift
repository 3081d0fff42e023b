package import Bytes
package import GraphIR

/// The input, broadcast along axes of size 1.
///
/// - input: any element type, with an axis for each entry of `shape`
/// - output: the sizes in `shape`; -1 keeps the input's size
package struct BroadcastTo: ExactOperator, PrimitiveOperator {
  /// The output's sizes, or -1.
  package let target: [Int]

  package static let kind = "broadcast_to"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "output[i] = input[i], with index 0 along each axis of size 1",
    of: .any,
    attributes: AttributeSchema(
      Self.init(target:),
      .integers(
        "shape", \.target,
        """
        The output's size along each axis; -1 for the input's size. Where it differs from the \
        input's size, the latter is 1.
        """, .atLeast(-1)
      ).explained(by: .sizes)),
    concepts: [.broadcasting])

  /// Creates the operator.
  package init(target: [Int]) { self.target = target }
}

extension BroadcastTo {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let shape = inputs[0].shape
    guard shape.count == target.count,
      zip(shape, target).allSatisfy({ $1 == -1 || $0.value == 1 || $0.agrees(with: .fixed($1)) })
    else { throw ShapeError("\(inputs[0]) cannot be broadcast to \(target)") }
    return [inputs[0].with(shape: zip(shape, target).map { $1 == -1 ? $0 : .fixed($1) })]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    [inputs[0].broadcast(to: try outputShape(of: inputs))]
  }

  package func permutingAxes(_ axes: [Int]) -> BroadcastTo? {
    axes.count == target.count ? BroadcastTo(target: axes.map { target[$0] }) : nil
  }
}
