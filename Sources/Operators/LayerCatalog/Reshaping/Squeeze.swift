package import Bytes
package import GraphIR

/// Removes some axes of size 1.
///
/// - input: any shape and element type, of size 1 along `axes`
/// - output: the other axes, in order
package struct Squeeze: FormulaOperator, ExactOperator {
  /// The removed axes, ascending.
  package let axes: [Int]

  package static let kind = "squeeze"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "The same elements; the axes, all of size 1, are removed.",
    of: .any,
    attributes: AttributeSchema(
      Self.init(axes:),
      .axes(\.axes, "The axes that are removed.", atLeast: 0)))

  /// Creates the operator.
  package init(axes: [Int]) { self.axes = axes }
}

extension Squeeze {
  /// The output has a different number of axes than the input, so it cannot be transposed with it.
  package func permutingAxes(_ axes: [Int]) -> Squeeze? { self.axes.isEmpty ? self : nil }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let type = make.type(make.inputs[0])
    guard axes.allSatisfy({ $0 < type.rank && type.shape[$0].agrees(with: 1) }) else {
      throw .malformed("removes the axes \(axes) of \(type), which are not all of size 1")
    }
    let kept = (0..<type.rank).filter { !axes.contains($0) }
    return try make(ReshapeAxes(kept.map { .axis($0) }), make.inputs[0])
  }
}
