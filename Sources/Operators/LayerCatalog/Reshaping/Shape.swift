package import Bytes
package import GraphIR

/// The shape of a tensor, as a tensor.
///
/// - input: any shape and element type
/// - output: `[axes]`, of the type `element_type`
package struct Shape: ExactOperator, PrimitiveOperator {
  /// The output's element type.
  package let elementType: ElementType

  package static let kind = "shape"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "output[i] = size of axis i of input",
    inputs: [.data("input", .any)],
    outputs: [.ofElementType],
    attributes: AttributeSchema(
      Self.init(elementType:),
      .elementType(\.elementType)))

  /// Creates the operator.
  package init(elementType: ElementType) { self.elementType = elementType }
}

extension Shape {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [TensorType(elementType, [inputs[0].rank])]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = inputs[0].shape
    return [
      try Tensor(checking: elementType, shape: [shape.count], shape.map { Double($0) })
    ]
  }

  /// The output has a different number of axes than the input, so it cannot be transposed with it.
  package func permutingAxes(_ axes: [Int]) -> Shape? { nil }
}
