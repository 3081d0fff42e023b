package import Bytes
package import GraphIR

/// Whether at least one input is true, element by element.
///
/// - inputs: two or more of the same rank, booleans, with sizes that are equal or 1 along each axis
/// - output: booleans, in the inputs' shape after broadcasting
package struct LogicalOr: FormulaOperator, ExactOperator, PointwiseOperator, PlainOperator {
  package static let kind = "logical_or"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = whether at least one input is true",
    inputs: [.variadic("input", .bool)],
    outputs: [.of(.bool)],
    concepts: [.broadcasting])

  /// Creates the operator.
  package init() {}
}

extension LogicalOr {
  package func permutingAxes(_ axes: [Int]) -> LogicalOr? { self }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    var negated: [ValueID] = []
    for input in make.inputs { negated.append(try make(LogicalNot(), input)) }
    return try make(LogicalNot(), try make.apply(LogicalAnd(), negated))
  }
}
