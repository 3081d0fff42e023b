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
  /// The mask has fewer axes than the input, so no single permutation applies to both.
  package func permutingAxes(_ axes: [Int]) -> MaskedAveragePooling? { nil }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let (x, steps) = (make.inputs[0], layout.spatialAxes(rank: 3).lowerBound)
    let (sequence, given) = (make.type(x), make.type(make.inputs[1]))
    guard sequence.rank == 3, given.rank == 2, given.shape[0].agrees(with: sequence.shape[0]),
      given.shape[1].agrees(with: sequence.shape[steps])
    else { throw .malformed("the mask \(given) does not fit the sequence \(sequence)") }
    let mask = try make(ExpandDims(axes: [3 - steps]), make.inputs[1])
    let unmasked = try make(Where(), mask, x, try make.number(0, like: x))
    let sum = Reduce(.sum, axes: [steps], keepDims: keepDims)
    let count = try make(sum, try make(Cast(to: sequence.elementType), mask))
    return try make.quotient(try make(sum, unmasked), count)
  }
}
