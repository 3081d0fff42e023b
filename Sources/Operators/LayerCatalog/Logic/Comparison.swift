package import Bytes
package import GraphIR

/// Compares the elements of two tensors, element by element.
///
/// - first, second: of the same rank and element type, with sizes that are equal or 1 along each
///   axis
/// - output: booleans, in the inputs' shape after broadcasting
///
/// NaN is unequal to everything, including itself, and neither less nor greater (IEEE 754, 5.11).
package struct Comparison: LogicalOperator, PrimitiveOperator {
  /// The relation between an element of the first tensor and one of the second.
  package enum Relation: String, Hashable, Sendable, CaseIterable {
    case equal
    case notEqual = "not_equal"
    case less
    case lessOrEqual = "less_equal"
    case greater
    case greaterOrEqual = "greater_equal"
  }

  /// The relation.
  package let relation: Relation

  package static let kind = "comparison"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = whether the relation holds between the elements a of first and b of second",
    inputs: [.data("first", .any), .data("second", .same(as: "first"))],
    outputs: [.of(.bool)],
    attributes: AttributeSchema(
      Self.init(_:),
      .choice("function", \.relation, "The relation.") {
        switch $0 {
        case .equal: "a = b"
        case .notEqual: "not a = b"
        case .less: "a < b"
        case .lessOrEqual: "a <= b"
        case .greater: "a > b"
        case .greaterOrEqual: "a >= b"
        }
      }),
    concepts: [.broadcasting])

  /// Creates the operator.
  package init(_ relation: Relation) { self.relation = relation }
}

extension Comparison {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [TensorType(.bool, try Broadcasting.outputTypeOfAny(inputs).shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    guard inputs[0].elementType.isInteger else {
      return try evaluate(inputs, to: .bool, workers: workers, function)
    }
    let shape = Broadcasting.outputShape(of: inputs.map(\.shape))
    let operands = inputs.map { $0.broadcast(to: shape).orderedIntegers }
    return [Tensor(.bool, shape: shape, compared(operands[0], operands[1]))]
  }

  package var function: PointwiseFunction { { operands in compared(operands[0], operands[1]) } }

  private func compared<Number: Comparable>(_ first: [Number], _ second: [Number]) -> [Double] {
    zip(first, second).map { holds($0, $1) ? 1 : 0 }
  }

  private func holds<Number: Comparable>(_ first: Number, _ second: Number) -> Bool {
    switch relation {
    case .equal: first == second
    case .notEqual: first != second
    case .less: first < second
    case .lessOrEqual: first <= second
    case .greater: first > second
    case .greaterOrEqual: first >= second
    }
  }
}
