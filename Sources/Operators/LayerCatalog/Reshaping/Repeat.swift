package import Bytes
package import GraphIR

/// Each element repeated along an axis: a, a, b, b, ...
///
/// - input: any shape and element type
/// - output: the same shape, with `repeats` times the size along `axis`
package struct Repeat: FormulaOperator, ExactOperator {
  /// The axis; the first is 0.
  package let axis: Int
  /// The number of times each element is repeated, 0 or more.
  package let count: Int

  package static let kind = "repeat"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "output[..., i, ...] = input[..., floor(i / repeats), ...] along axis",
    of: .any,
    attributes: AttributeSchema(
      Self.init(axis:count:),
      .axis(\.axis),
      .integer("repeats", \.count, "The number of copies of each element.", .atLeast(0))))

  /// Creates the operator.
  package init(axis: Int, count: Int) {
    self.axis = axis
    self.count = count
  }
}

extension Repeat {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    var shape = inputs[0].shape
    guard axis < shape.count else {
      throw ShapeError("cannot repeat axis \(axis) of \(inputs[0])")
    }
    if count != 1 { shape[axis] = try Dimension.product([shape[axis], .fixed(count)]) }
    return [inputs[0].with(shape: shape)]
  }

  package func permutingAxes(_ axes: [Int]) -> Repeat? {
    axes.firstIndex(of: axis).map { Repeat(axis: $0, count: count) }
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let rank = make.type(make.inputs[0]).rank
    let size = try make.size(make.inputs[0], axis: axis)
    let column = try make(ExpandDims(axes: [axis + 1]), make.inputs[0])
    let counts = (0...rank).map { $0 == axis + 1 ? count : 1 }
    var dimensions = (0...rank).filter { $0 != axis + 1 }.map { ReshapeAxes.Size.axis($0) }
    dimensions[axis] = .fixed(size * count)
    return try make(ReshapeAxes(dimensions), try make(Tile(counts: counts), column))
  }
}
