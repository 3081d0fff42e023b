package import Bytes
package import GraphIR

/// The first element where a condition is true, and the second elsewhere.
///
/// - condition: booleans
/// - first, second: the same element type; all three inputs have the same rank, with sizes that are
///   equal or 1 along each axis
/// - output: the elements' type; the inputs' shape after broadcasting
package struct Where: PlainOperator, ExactOperator, PrimitiveOperator {
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
    let shape = Broadcasting.outputShape(of: inputs.map(\.shape))
    let condition = inputs[0].broadcast(to: shape).doubles
    let (first, second) = (inputs[1].broadcast(to: shape), inputs[2].broadcast(to: shape))
    let type = inputs[1].elementType
    func chosen<Number>(_ first: [Number], _ second: [Number]) -> [Number] {
      condition.indices.map { condition[$0] != 0 ? first[$0] : second[$0] }
    }
    if type.isInteger {
      let numbers = chosen(first.wrappedIntegers, second.wrappedIntegers)
      return [Tensor(wrapping: type, shape: shape, numbers)]
    }
    return [Tensor(type, shape: shape, chosen(first.doubles, second.doubles))]
  }

  package func permutingAxes(_ axes: [Int]) -> Where? { self }
}
