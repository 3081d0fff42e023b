package import Bytes
package import GraphIR

/// The gated linear unit: the first half along an axis, times the sigmoid of the second half
/// (Dauphin et al. 2016).
///
/// - input: any shape, of an even size along `axis`
/// - output: half the size along `axis`
package struct GLU: FormulaOperator, ArithmeticOperator {
  /// The axis that is split; the first is 0.
  package let axis: Int

  package static let kind = "glu"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    h = (size of axis) / 2
    y[..., i, ...] = x[..., i, ...] * sigmoid(x[..., i + h, ...]), for i from 0 to h - 1
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(axis:),
      .axis(\.axis, "The axis that is halved; its size is even.")))

  /// Creates the operator.
  package init(axis: Int) { self.axis = axis }
}

extension GLU {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    var output = inputs[0]
    guard output.elementType.isFloat, axis < output.rank else {
      throw ShapeError("takes floating-point numbers with an axis \(axis), not \(output)")
    }
    let dimension = output.shape[axis]
    if let value = dimension.value, value % 2 != 0 {
      throw ShapeError("halves axis \(axis) of \(output), which has an odd size")
    }
    output.shape[axis] = try dimension.map { $0 / 2 }
    return [output]
  }

  package func permutingAxes(_ axes: [Int]) -> GLU? {
    axes.firstIndex(of: axis).map(GLU.init(axis:))
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let halves = try make.split(make.inputs[0], into: 2, axis: axis)
    return try make.product(halves[0], try make(Sigmoid(), halves[1]))
  }
}
