package import Bytes
package import GraphIR

/// The mean of tensors, element by element.
///
/// - inputs: two or more of the same rank, with sizes that are equal or 1 along each axis
/// - output: the inputs' shape after broadcasting
package struct Average: FormulaOperator, ArithmeticOperator, PointwiseOperator, PlainOperator {
  package static let kind = "average"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>.combining(
    "y = (input 0 + input 1 + ...) / (number of inputs)", .float)

  /// Creates the operator.
  package init() {}
}

extension Average {
  package func permutingAxes(_ axes: [Int]) -> Average? { self }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    try make.linear(try make.apply(Add(), make.inputs), scale: 1 / Double(make.inputs.count))
  }
}
