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
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    var shape = inputs[0].shape
    for axis in axes.reversed() {
      guard axis < shape.count, shape[axis].agrees(with: 1) else {
        throw ShapeError("removes the axes \(axes) of \(inputs[0]), which are not all of size 1")
      }
      shape.remove(at: axis)
    }
    return [inputs[0].with(shape: shape)]
  }

  /// The output has a different number of axes than the input, so it cannot be transposed with it.
  package func permutingAxes(_ axes: [Int]) -> Squeeze? { self.axes.isEmpty ? self : nil }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let kept = (0..<make.type(make.inputs[0]).rank).filter { !axes.contains($0) }
    return try make(ReshapeAxes(kept.map { .axis($0) }), make.inputs[0])
  }
}
