package import Bytes
package import GraphIR

/// The sizes of a tensor as a tensor.
///
/// - input: any shape and element type
/// - output: `[axes]`, of the type `element_type`
package struct Shape: CatalogOperator {
  /// The output's element type.
  package let elementType: ElementType

  package static let kind = "shape"
  package static let version = 1

  package var inputs: [InputSlot] { [.data("input")] }

  package var attributes: Attributes { ["element_type": .text(elementType.rawValue)] }

  package static var definition: OperatorDefinition {
    OperatorDefinition(
      "output[i] = size of axis i of input",
      inputs: [.data("input", .any)],
      outputs: [.ofElementType],
      attributes: [
        .elementType()
      ])
  }

  /// Makes the operator.
  package init(elementType: ElementType) { self.elementType = elementType }
}

extension Shape {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    elementType = try attributes.word("element_type")
  }

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

  package var tolerance: Tolerance { Tolerance(absolute: 0, relative: 0) }

  package var cost: OperatorCost { .elements }

  /// The output has another number of axes than the input, so there is no order of both.
  package func permutingAxes(_ axes: [Int]) -> Shape? { nil }

  package var decomposition: Decomposition { .primitive }
}
