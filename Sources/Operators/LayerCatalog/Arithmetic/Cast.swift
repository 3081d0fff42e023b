package import Bytes
package import GraphIR

/// The same numbers in another element type.
///
/// - input: any shape and element type
/// - output: the same shape, in `element_type`: floating-point numbers are rounded to the nearest
///   (ties to even), whole numbers lose the fraction (out of range they become the nearest number
///   there is, NaN becomes 0), and of booleans everything but 0 holds
package struct Cast: CatalogOperator {
  /// The element type of the output.
  package let elementType: ElementType

  package static let kind = "cast"
  package static let version = 1

  package var inputs: [InputSlot] { [.data("input")] }

  package var attributes: Attributes { ["element_type": .text(elementType.rawValue)] }

  package static var definition: OperatorDefinition {
    OperatorDefinition(
      """
      y = x in element_type:
      floating-point: the nearest number of the type, ties to even
      integer: x without its fraction; the nearest number of the type if x is outside of it; 0 for \
      NaN
      bool: false if x = 0, else true
      """,
      inputs: [.data("input", .any)],
      outputs: [.ofElementType],
      attributes: [
        .elementType()
      ])
  }

  /// Makes the operator.
  package init(to elementType: ElementType) { self.elementType = elementType }
}

extension Cast {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    elementType = try attributes.word("element_type")
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [TensorType(elementType, inputs[0].shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    guard inputs[0].elementType != elementType else { return inputs }
    return [Tensor(elementType, shape: inputs[0].shape, inputs[0].doubles)]
  }

  package var tolerance: Tolerance { Tolerance(absolute: 0, relative: 0) }

  package var cost: OperatorCost { .elements }

  package func permutingAxes(_ axes: [Int]) -> Cast? { self }

  package var decomposition: Decomposition { .primitive }
}
