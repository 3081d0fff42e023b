package import Bytes
package import GraphIR

/// (x + √(x² + b)) / 2, a smooth rectifier without an exponential (Barron 2021).
///
/// Any shape; the output has the same shape. The output for -∞ is NaN, as in TensorFlow.
package struct Squareplus: ElementwiseOperator, FormulaOperator {
  /// The paper's b, which determines how wide the smooth transition around 0 is; at least 0.
  package let smoothness: Double

  package static let kind = "squareplus"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = (x + sqrt(x^2 + b)) / 2",
    of: .float,
    attributes: AttributeSchema(
      Self.init(smoothness:),
      .real("b", \.smoothness, "The width of the bend around 0.", .atLeast(0))))

  /// Creates the operator.
  package init(smoothness: Double) { self.smoothness = smoothness }
}

extension Squareplus {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let square = try make.offset(try make.product(x, x), by: smoothness)
    return try make.linear(try make.sum(x, try make.squareRoot(square)), scale: 0.5)
  }
}
