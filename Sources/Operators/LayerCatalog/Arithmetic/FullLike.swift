package import Bytes
package import GraphIR

/// A tensor filled with one value, of the type of another tensor.
///
/// - input: any shape and element type; its elements are not used
/// - output: the same type
package struct FullLike: ExactOperator, PrimitiveOperator {
  /// Every element of the output.
  package let value: Double

  package static let kind = "full_like"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = value, in the element type of input",
    of: .any,
    attributes: AttributeSchema(
      Self.init(value:),
      .real("value", \.value, "Every element of the output.")))

  /// Creates the operator.
  package init(value: Double) { self.value = value }
}

extension FullLike {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] { inputs }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let ones = inputs[0].shape.map { _ in 1 }
    return [Tensor(inputs[0].elementType, shape: ones, [value]).broadcast(to: inputs[0].shape)]
  }

  package func permutingAxes(_ axes: [Int]) -> FullLike? { self }
}
