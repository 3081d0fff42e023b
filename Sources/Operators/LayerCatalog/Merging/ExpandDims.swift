package import Bytes
package import GraphIR

/// The same elements with additional axes of size 1.
///
/// - input: any shape and element type
/// - output: the input's axes in order, with new ones at the positions in `axes`
package struct ExpandDims: FormulaOperator, ExactOperator {
  /// The positions of the new axes in the output, ascending.
  package let axes: [Int]

  package static let kind = "expand_dims"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "The same elements; the output has size 1 at each position of axes.",
    of: .any,
    attributes: AttributeSchema(
      Self.init(axes:),
      .axes(\.axes, "The positions of the new axes in the output.", atLeast: 0)))

  /// Creates the operator.
  package init(axes: [Int]) { self.axes = axes }
}

extension ExpandDims {
  /// The output has a different number of axes than the input, so it cannot be transposed with it.
  package func permutingAxes(_ axes: [Int]) -> ExpandDims? { self.axes.isEmpty ? self : nil }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let type = make.type(make.inputs[0])
    var sizes = (0..<type.rank).map { ReshapeAxes.Size.axis($0) }
    for axis in axes {
      guard axis <= sizes.count else {
        throw .malformed("no axis can be put at position \(axis) of \(type)")
      }
      sizes.insert(.fixed(1), at: axis)
    }
    return try make(ReshapeAxes(sizes), make.inputs[0])
  }
}
