import Bytes
package import GraphIR

/// The negation of each boolean.
///
/// Booleans of any shape; the output has the same shape.
package struct LogicalNot: PlainOperator, LogicalOperator, PrimitiveOperator {
  package static let kind = "logical_not"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = true if x is false, else false",
    inputs: [.data("input", .bool)],
    outputs: [.of(.bool)])

  /// Creates the operator.
  package init() {}
}

extension LogicalNot {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType == .bool else {
      throw ShapeError("takes booleans, not \(inputs[0])")
    }
    return inputs
  }

  package var function: PointwiseFunction {
    { operands in operands[0].map { 1 - $0 } }
  }
}
