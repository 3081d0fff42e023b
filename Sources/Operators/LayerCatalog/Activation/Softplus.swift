package import Bytes
package import GraphIR

/// The smooth rectifier log(1 + e^x) (Dugas et al. 2001).
///
/// Any shape; the output has the same shape.
package struct Softplus: ElementwiseOperator, FormulaOperator, PlainOperator {
  package static let kind = "softplus"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = log(1 + exp(x)), computed as max(x, 0) + log(1 + exp(-|x|))",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension Softplus {
  /// max(x, 0) + log(1 + e^-|x|), which cannot overflow.
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let magnitude = try make(UnaryMath(.absolute), x)
    let exponential = try make(Exponential(), try make(UnaryMath(.negative), magnitude))
    return try make.sum(
      try make.positivePart(x), try make(UnaryMath(.logarithmOfOnePlus), exponential))
  }
}
