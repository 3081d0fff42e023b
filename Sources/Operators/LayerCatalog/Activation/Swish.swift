package import Bytes
package import GraphIR

/// x · sigmoid(x), also called SiLU (Elfwing et al. 2017; Ramachandran et al. 2017 with β = 1).
///
/// Any shape; the output has the same shape. The output for -∞ is NaN, as in TensorFlow.
package struct Swish: ElementwiseOperator, FormulaOperator, PlainOperator {
  package static let kind = "swish"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x * (1 / (1 + exp(-x)))",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension Swish {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    return try make.product(x, try make(Sigmoid(), x))
  }
}
