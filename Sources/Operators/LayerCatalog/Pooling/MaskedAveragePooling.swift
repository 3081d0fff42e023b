package import Bytes
package import GraphIR

/// The mean of the unmasked steps of a sequence.
///
/// - input: `[batch, steps, channels]` or `[batch, channels, steps]`, by `layout`
/// - mask: `[batch, steps]`, bool, false for a step that is ignored
/// - output: `[batch, channels]`, or the input's axes with 1 step; NaN where all steps are ignored
package struct MaskedAveragePooling: FormulaOperator, ImageOperator, ArithmeticOperator {
  /// Whether the output keeps the steps' axis, with size 1.
  package let keepDims: Bool
  /// The order of the input's axes.
  package let layout: DataLayout

  package static let kind = "masked_average_pooling"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y[n, c] = (sum of x[n, c, t] over all t with mask[n, t]) / (number of t with mask[n, t])",
    inputs: [.data("input", .float), .mask()],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(keepDims:layout:),
      .keepDims(\.keepDims),
      .layout(\.layout)))

  /// Creates the operator.
  package init(keepDims: Bool, layout: DataLayout) {
    self.keepDims = keepDims
    self.layout = layout
  }
}

extension MaskedAveragePooling {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, mask) = (inputs[0], inputs[1])
    guard input.rank == 3, input.elementType.isFloat else {
      throw ShapeError("takes a sequence of vectors of floating-point numbers, not \(input)")
    }
    let steps = layout.spatialAxes(rank: 3).lowerBound
    guard mask.elementType == .bool, mask.rank == 2, mask.shape[0].agrees(with: input.shape[0]),
      mask.shape[1].agrees(with: input.shape[steps])
    else { throw ShapeError("the mask \(mask) does not fit the sequence \(input)") }
    var shape = input.shape
    shape[0] = shape[0].merged(with: mask.shape[0])
    shape[steps] = 1
    if !keepDims { shape.remove(at: steps) }
    return [input.with(shape: shape)]
  }

  /// The mask has fewer axes than the input, so no single permutation applies to both.
  package func permutingAxes(_ axes: [Int]) -> MaskedAveragePooling? { nil }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let (x, steps) = (make.inputs[0], layout.spatialAxes(rank: 3).lowerBound)
    let mask = try make(ExpandDims(axes: [3 - steps]), make.inputs[1])
    let unmasked = try make(Where(), mask, x, try make.number(0, like: x))
    let sum = Reduce(.sum, axes: [steps], keepDims: keepDims)
    let count = try make(sum, try make(Cast(to: make.type(x).elementType), mask))
    return try make.quotient(try make(sum, unmasked), count)
  }
}
