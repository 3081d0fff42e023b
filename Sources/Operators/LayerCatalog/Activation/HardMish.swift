package import Bytes
package import GraphIR

/// A fast approximation of ``Mish``: x where x > 0, x²/2 + x where x > -2, and 0 elsewhere.
///
/// Any shape; the output has the same shape. NaN stays NaN.
package struct HardMish: ElementwiseOperator, FormulaOperator, PlainOperator {
  package static let kind = "hard_mish"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = 0 if x <= -2
    y = x if x > 0
    y = x^2 / 2 + x otherwise
    """,
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension HardMish {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let clipped = try make.clipped(make.inputs[0], -2, 0)
    let square = try make.linear(try make.product(clipped, clipped), scale: 0.5)
    return try make.sum(try make.positivePart(make.inputs[0]), try make.sum(square, clipped))
  }
}
