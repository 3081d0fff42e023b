package import Bytes
package import GraphIR

/// The first element where a condition is true, and the second elsewhere.
///
/// - condition: booleans
/// - first, second: the same element type; all three inputs have the same rank, with sizes that are
///   equal or 1 along each axis
/// - output: the elements' type; the inputs' shape after broadcasting
package struct Where: PlainOperator, ExactOperator, PointwiseOperator, PrimitiveOperator {
  package static let kind = "where"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = first if condition, else second",
    inputs: [
      .data("condition", .bool), .data("first", .any), .data("second", .same(as: "first")),
    ],
    outputs: [.like("first")],
    concepts: [.broadcasting])

  /// Creates the operator.
  package init() {}
}

extension Where {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (condition, first, second) = (inputs[0], inputs[1], inputs[2])
    guard condition.elementType == .bool else {
      throw ShapeError("the condition \(condition) is not boolean")
    }
    let shaped = TensorType(first.elementType, condition.shape)
    return [try Broadcasting.outputTypeOfAny([shaped, first, second])]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let type = inputs[1].elementType
    guard type.isInteger else {
      return try evaluate(inputs, to: type, workers: workers, Self.chosen)
    }
    let shape = Broadcasting.outputShape(of: inputs.map(\.shape))
    let integers = inputs.map { $0.broadcast(to: shape).wrappedIntegers }
    return [Tensor(wrapping: type, shape: shape, Self.chosen(integers))]
  }

  package func pointwise(_ types: [ElementType]) -> PointwiseFunction? { Self.chosen }

  /// - Parameter lists: The conditions, the elements where they hold, and those elsewhere.
  @Sendable private static func chosen<Number: Numeric>(_ lists: [[Number]]) -> [Number] {
    lists[0].indices.map { lists[0][$0] != 0 ? lists[1][$0] : lists[2][$0] }
  }

  package func permutingAxes(_ axes: [Int]) -> Where? { self }
}

extension Graph {
  /// The constants that nodes only choose from, such as the numbers of a mask: what is NaN or infinite in
  /// them is meant to be.
  package var choices: Set<ValueID> {
    var (chosen, others): (Set<ValueID>, Set<ValueID>) = ([], [])
    for node in nodes {
      for (slot, id) in node.inputs.enumerated() where self[id].constant != nil {
        if node.operation is Where, slot > 0 { chosen.insert(id) } else { others.insert(id) }
      }
    }
    return chosen.subtracting(others)
  }
}
