package import Bytes
package import GraphIR

/// 1 where x > 0, and -1 elsewhere (Courbariaux et al. 2016).
///
/// Any shape; the output has the same shape. NaN becomes -1.
package struct Binarization: ElementwiseOperator, FormulaOperator, PlainOperator {
  package static let kind = "binarization"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = 1 if x > 0, else -1",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension Binarization {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let (one, minusOne) = (try make.number(1, like: x), try make.number(-1, like: x))
    return try make.chosen(try make.isGreater(x, 0), one, minusOne)
  }
}
