package import Bytes
package import GraphIR

/// The position of the smallest element along an axis, the first one if several are equal.
///
/// - input: any shape with this axis, numbers
/// - output: of the type `element_type`; the input's axes, with `axis` removed or of size 1
///
/// NaN counts as the smallest. An axis without elements is an error.
package struct ArgMin: ArgumentReduction, FormulaOperator {
  /// The axis; the first is 0.
  package let axis: Int
  /// Whether the output keeps the axis, with size 1.
  package let keepDims: Bool
  /// The output's element type.
  package let elementType: ElementType

  package static let kind = "argmin"

  package static let declaration = OperatorDeclaration<Self>(
    "y = the first position i along axis of the smallest x[i]; of the first NaN if there is one",
    inputs: [.data("input", .number)],
    outputs: [.ofElementType],
    attributes: attributeSchema)

  /// Creates the operator.
  package init(axis: Int, keepDims: Bool, elementType: ElementType) {
    self.axis = axis
    self.keepDims = keepDims
    self.elementType = elementType
  }
}

extension ArgMin {
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    try make(
      ArgMax(axis: axis, keepDims: keepDims, elementType: elementType),
      try make.orderReversed(make.inputs[0]))
  }
}
