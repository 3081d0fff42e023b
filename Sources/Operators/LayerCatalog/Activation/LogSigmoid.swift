package import Bytes
package import GraphIR

/// The logarithm of the sigmoid, -log(1 + e^-x).
///
/// Any shape; the output has the same shape.
package struct LogSigmoid: ElementwiseOperator, FormulaOperator, PlainOperator {
  package static let kind = "log_sigmoid"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = -log(1 + exp(-x)), computed as -(max(-x, 0) + log(1 + exp(-|x|)))",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension LogSigmoid {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let softplus = try make(Softplus(), try make(UnaryMath(.negative), make.inputs[0]))
    return try make(UnaryMath(.negative), softplus)
  }
}
