package import Bytes
package import GraphIR

/// Conversion to another element type.
///
/// - input: any shape and element type
/// - output: the same shape, in `element_type`: rounded to the nearest floating-point number (ties
///   to even); truncated to an integer (values out of range saturate, and NaN becomes 0); or a
///   boolean, true for everything but 0
package struct Cast: ExactOperator, PrimitiveOperator {
  /// The element type of the output.
  package let elementType: ElementType

  package static let kind = "cast"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = x in element_type:
    floating-point: the nearest number of the type, ties to even
    integer: x truncated towards 0, clamped to the range of the type; 0 for NaN
    bool: false if x = 0, else true
    """,
    inputs: [.data("input", .any)],
    outputs: [.ofElementType],
    attributes: AttributeSchema(
      Self.init(to:),
      .elementType(\.elementType)))

  /// Creates the operator.
  package init(to elementType: ElementType) { self.elementType = elementType }
}

extension Cast {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [TensorType(elementType, inputs[0].shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    guard inputs[0].elementType != elementType else { return inputs }
    return [Tensor(elementType, shape: inputs[0].shape, inputs[0].doubles)]
  }

  package func permutingAxes(_ axes: [Int]) -> Cast? { self }
}
