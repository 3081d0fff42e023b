package import Bytes
package import GraphIR

/// Reverses the elements along one or more axes.
///
/// Any shape and element type; the output has the same.
package struct Reverse: ExactOperator, PrimitiveOperator {
  /// The reversed axes, ascending; the first is 0.
  package let axes: [Int]

  package static let kind = "reverse"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "output[..., i, ...] = input[..., size - 1 - i, ...] along each of axes",
    of: .any,
    attributes: AttributeSchema(
      Self.init(axes:),
      .axes(\.axes, "The axes whose order is reversed.", atLeast: 0)))

  /// Creates the operator.
  package init(axes: [Int]) { self.axes = axes }
}

extension Reverse {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard axes.allSatisfy(inputs[0].shape.indices.contains) else {
      throw ShapeError("\(inputs[0]) does not have the axes \(axes)")
    }
    return [inputs[0]]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] { [inputs[0].reversed(along: axes)] }

  package func permutingAxes(_ axes: [Int]) -> Reverse? {
    Reverse(axes: axes.indices.filter { self.axes.contains(axes[$0]) })
  }
}
