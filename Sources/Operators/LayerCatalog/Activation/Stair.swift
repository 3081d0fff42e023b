package import Bytes
package import GraphIR

/// Steps with ramps between them: with n = floor(x), floor(x/2) where n is even, and
/// x - n + floor(x/2) where it is odd.
///
/// Any shape; the output has the same shape. NaN stays NaN, and an infinity becomes NaN or stays
/// infinite.
package struct Stair: ElementwiseOperator, FormulaOperator, PlainOperator {
  package static let kind = "stair"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    n = floor(x)
    y = floor(x / 2) if n is even, else x - n + floor(x / 2)
    """,
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension Stair {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let floor = try make(UnaryMath(.floor), x)
    let half = try make(UnaryMath(.floor), try make.linear(x, scale: 0.5))
    let isOdd = try make.difference(floor, try make.linear(half, scale: 2))
    return try make.sum(half, try make.product(isOdd, try make.difference(x, floor)))
  }
}
