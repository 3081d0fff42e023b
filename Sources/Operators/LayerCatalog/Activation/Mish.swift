package import Bytes
package import GraphIR

/// x · tanh(softplus(x)) (Misra 2019).
///
/// Any shape; the output has the same shape. The output for -∞ is NaN, as in TensorFlow.
package struct Mish: ElementwiseOperator, FormulaOperator, PlainOperator {
  package static let kind = "mish"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x * tanh(log(1 + exp(x))), with the logarithm as in softplus",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension Mish {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    return try make.product(x, try make(Tanh(), try make(Softplus(), x)))
  }
}
