package import Bytes
package import GraphIR

/// The bits of each element, read as another type.
///
/// - input: any shape; numbers
/// - output: the same shape, in `element_type`, whose elements have as many bytes as the input's
package struct BitCast: ExactOperator, PrimitiveOperator {
  /// The element type of the output.
  package let elementType: ElementType

  package static let kind = "bit_cast"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = the bits of x, read as element_type: integers in two's complement, floating-point numbers as
    IEEE 754 stores them, bfloat16 as the upper half of float32
    """,
    inputs: [.data("input", .sized(as: "element_type"))],
    outputs: [.ofElementType],
    attributes: AttributeSchema(Self.init(to:), .elementType(\.elementType)))

  /// Creates the operator.
  package init(to elementType: ElementType) { self.elementType = elementType }
}

extension BitCast {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let type = inputs[0].elementType
    guard elementType != .bool, elementType.byteCount == type.byteCount else {
      throw ShapeError(
        "the bits of \(type.rawValue) are read as \(elementType.rawValue), expected numbers of as many bytes"
      )
    }
    return [TensorType(elementType, inputs[0].shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    [Tensor(elementType, shape: inputs[0].shape, bytes: inputs[0].contiguousBytes())]
  }

  package func permutingAxes(_ axes: [Int]) -> BitCast? { self }
}
