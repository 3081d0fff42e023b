import Bytes
import GraphIR

/// Whether all inputs are true, element by element.
///
/// - inputs: two or more of the same rank, booleans, with sizes that are equal or 1 along each axis
/// - output: booleans, in the inputs' shape after broadcasting
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
