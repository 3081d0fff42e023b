package import Bytes
package import GraphIR

/// Distinguishes the steps of sequences from padding, which is filled with a value, and sets the
/// padding to 0.
///
/// - input: `[batch, ..., features]`
/// - outputs: the input, with 0 for steps in which all features equal the value; the mask, `[batch,
///   ...]`, bool, true where any feature differs from the value
package struct Masking: ExactOperator {
  /// The value that padding is filled with.
  package let value: Double

  package static let kind = "masking"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    v = value in the element type of input
    mask[n, ...] = whether one of the features of the step differs from v
    output = input where mask is true, else input * 0
    """,
    inputs: [.data("input", .float)],
    outputs: [.like("input"), .of(.bool, as: "mask")],
    attributes: AttributeSchema(
      Self.init(value:),
      .real("value", \.value, "The value that all features of an excluded step have.")))

  /// Creates the operator.
  package init(value: Double) { self.value = value }
}

extension Masking {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].rank >= 2, inputs[0].elementType.isFloat else {
      throw ShapeError("takes steps of floating-point numbers, not \(inputs[0])")
    }
    return [inputs[0], TensorType(.bool, Array(inputs[0].shape.dropLast()))]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let input = inputs[0]
    let steps = Array(input.shape.dropLast())
    let features = input.shape[steps.count]
    // The value rounded to the elements' type: 0.1 is a different number in float32.
    let value = Tensor(input.elementType, shape: [], [value]).doubles[0]
    var elements = input.doubles
    var mask = [Double](repeating: 0, count: steps.reduce(1, *))
    for step in mask.indices {
      let range = step * features..<(step + 1) * features
      mask[step] = elements[range].contains { $0 != value } ? 1 : 0
      if mask[step] == 0 { for index in range { elements[index] *= 0 } }
    }
    return [
      Tensor(input.elementType, shape: input.shape, elements),
      Tensor(.bool, shape: steps, mask),
    ]
  }

  /// The mask has fewer axes than the input, so no single permutation applies to both.
  package func permutingAxes(_ axes: [Int]) -> Masking? { nil }

  package var decomposition: Decomposition {
    Composition.outputs { [self] (make) throws(WeighbridgeError) in
      let (x, last) = (make.inputs[0], make.type(make.inputs[0]).rank - 1)
      let differs = try make(Comparison(.notEqual), x, try make.number(value, like: x))
      let isStep = try make(Reduce(.any, axes: [last], keepDims: true), differs)
      return [
        try make.chosen(isStep, x, try make.linear(x, scale: 0)),
        try make(Reduce(.any, axes: [last], keepDims: false), differs),
      ]
    }
  }
}
