import Bytes
package import GraphIR

/// Whether all inputs are true, element by element.
///
/// - inputs: two or more of the same rank, booleans, with sizes that are equal or 1 along each axis
/// - output: booleans, in the inputs' shape after broadcasting
package struct LogicalAnd: PlainOperator, LogicalOperator, PrimitiveOperator {
  package static let kind = "logical_and"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = whether all inputs are true",
    inputs: [.variadic("input", .bool)],
    outputs: [.of(.bool)],
    concepts: [.broadcasting])

  /// Creates the operator.
  package init() {}
}

extension LogicalAnd {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType == .bool else {
      throw ShapeError("takes booleans, not \(inputs[0])")
    }
    return [try Broadcasting.outputTypeOfAny(inputs)]
  }

  package var function: PointwiseFunction {
    { operands in
      operands.dropFirst().reduce(operands[0]) { zip($0, $1).map(min) }
    }
  }
}
