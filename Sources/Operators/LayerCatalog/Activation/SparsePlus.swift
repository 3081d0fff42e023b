package import Bytes
package import GraphIR

/// 0 where x <= -1, (x + 1)² / 4 between -1 and 1, and x elsewhere (Sander et al. 2023).
///
/// Any shape; the output has the same shape. NaN stays NaN.
package struct SparsePlus: ElementwiseOperator, FormulaOperator, PlainOperator {
  package static let kind = "sparse_plus"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = 0 if x <= -1
    y = (x + 1)^2 / 4 if x < 1
    y = x otherwise
    """,
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension SparsePlus {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let shifted = try make.offset(try make.clipped(x, -1, 1), by: 1)
    let parabola = try make.linear(try make.product(shifted, shifted), scale: 0.25)
    return try make.sum(parabola, try make.positivePart(try make.offset(x, by: -1)))
  }
}
