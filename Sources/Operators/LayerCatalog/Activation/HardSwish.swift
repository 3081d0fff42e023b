package import Bytes
package import GraphIR

/// x · relu6(x + 3) / 6, a swish with a piecewise linear gate (Howard et al. 2019).
///
/// Any shape; the output has the same shape. The output for -∞ is NaN, as in TensorFlow.
package struct HardSwish: ElementwiseOperator, FormulaOperator, PlainOperator {
  package static let kind = "hard_swish"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x * min(max(x / 6 + 0.5, 0), 1)",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension HardSwish {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    return try make.product(x, try make(HardSigmoid(slope: 1 / 6, offset: 0.5), x))
  }
}
