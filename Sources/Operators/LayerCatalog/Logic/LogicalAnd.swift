import Bytes
import GraphIR

/// Whether all inputs are true, element by element.
///
/// - inputs: two or more of the same rank, booleans; along each axis the sizes are equal or 1
/// - output: booleans; along each axis the size that is not 1, if there is one
package struct LogicalAnd: LogicalOperator, PrimitiveOperator {
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
  package func combine(_ result: Bool, _ next: Bool) -> Bool { result && next }
}
