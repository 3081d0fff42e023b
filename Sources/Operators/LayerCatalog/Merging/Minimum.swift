package import Bytes
package import GraphIR

/// The minimum of tensors, element by element; NaN where one of them is NaN.
///
/// - inputs: two or more of the same rank, with sizes that are equal or 1 along each axis
/// - output: the inputs' shape after broadcasting
package struct Minimum: FormulaOperator, ArithmeticOperator, PointwiseOperator, PlainOperator {
  package static let kind = "minimum"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>.combining(
    "y = the smallest of the inputs' elements; NaN if one is NaN")

  /// Creates the operator.
  package init() {}
}

extension Minimum {
  package func permutingAxes(_ axes: [Int]) -> Minimum? { self }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    var reversed: [ValueID] = []
    for input in make.inputs { reversed.append(try make.orderReversed(input)) }
    return try make.orderReversed(try make.apply(Maximum(), reversed))
  }
}
