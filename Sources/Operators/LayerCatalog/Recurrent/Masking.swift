package import Bytes
package import GraphIR

/// Distinguishes the steps of sequences from padding, which is filled with a value, and sets the
/// padding to 0.
///
/// - input: `[batch, ..., features]`
/// - outputs: the input, with 0 for steps in which all features equal the value; the mask, `[batch,
///   ...]`, bool, true where any feature differs from the value
package struct Masking: CompositeOperator, ExactOperator {
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
  /// The mask has fewer axes than the input, so no single permutation applies to both.
  package func permutingAxes(_ axes: [Int]) -> Masking? { nil }

  package func compose(_ make: inout Composition) throws(WeighbridgeError) -> [ValueID] {
    let (x, last) = (make.inputs[0], make.type(make.inputs[0]).rank - 1)
    guard last >= 1 else { throw .malformed("takes steps, not \(make.type(x))") }
    let differs = try make(Comparison(.notEqual), x, try make.number(value, like: x))
    let isStep = try make(Reduce(.any, axes: [last], keepDims: true), differs)
    return [
      try make.chosen(isStep, x, try make.linear(x, scale: 0)),
      try make(Reduce(.any, axes: [last], keepDims: false), differs),
    ]
  }
}
