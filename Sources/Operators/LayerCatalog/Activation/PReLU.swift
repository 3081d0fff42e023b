package import Bytes
package import GraphIR

/// The parametric rectifier: x where x > 0, and alpha · x elsewhere, with learned alphas
/// (He et al. 2015).
///
/// - input: `[batch, ...]`
/// - alpha: the input's axes without the batch, with size 1 along each axis that shares an alpha
/// - output: the input's shape
package struct PReLU: FormulaOperator, PositionWeightedOperator, PlainOperator, ArithmeticOperator {
  package static let kind = "prelu"
  package static let version = 1
  package static let positionWeight = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y[n, ...] = x[n, ...] if x[n, ...] > 0, else alpha[...] * x[n, ...]",
    inputs: [
      .data("input", .float),
      .weight("alpha", .same(as: "input")),
    ],
    outputs: [.like("input")],
    concepts: [.broadcasting])

  /// Creates the operator.
  package init() {}
}

extension PReLU {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, alpha) = (inputs[0], inputs[1])
    guard input.elementType.isFloat, alpha.elementType == input.elementType else {
      throw ShapeError("takes floating-point numbers of one type, not \(input), \(alpha)")
    }
    guard input.rank == alpha.rank + 1,
      zip(input.shape.dropFirst(), alpha.shape).allSatisfy({ $1 == 1 || $0.agrees(with: $1) })
    else {
      throw ShapeError(
        "the alphas \(alpha) do not fit the input \(input), whose first axis has none")
    }
    let merged = zip(input.shape.dropFirst(), alpha.shape).map {
      $1 == 1 ? $0 : $0.merged(with: $1)
    }
    return [input.with(shape: input.shape.prefix(1) + merged)]
  }

  /// The alphas would have to be transposed too.
  package func permutingAxes(_ axes: [Int]) -> PReLU? {
    axes == Array(axes.indices) ? self : nil
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let (x, alpha) = (make.inputs[0], make.inputs[1])
    let slope = try make(ExpandDims(axes: [0]), alpha)
    let negativePart = try make.clipped(x, -.infinity, 0)
    return try make.sum(try make.positivePart(x), try make.product(negativePart, slope))
  }
}
