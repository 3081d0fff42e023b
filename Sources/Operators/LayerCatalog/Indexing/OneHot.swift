package import Bytes
package import GraphIR

/// A vector for each index, with one number at the index and another elsewhere.
///
/// - indices: integers, any shape
/// - output: of the type `element_type`; the indices' axes, with a new one of `depth` elements at
///   `axis`
///
/// For an index outside of 0..<depth, the vector contains only the second number.
package struct OneHot: FormulaOperator, ExactOperator {
  /// The position of the new axis in the output.
  package let axis: Int
  /// Its size, 0 or more.
  package let depth: Int
  /// The number at the index.
  package let on: Double
  /// The number elsewhere.
  package let off: Double
  /// The output's element type.
  package let elementType: ElementType

  package static let kind = "one_hot"
  package static let version = 1

  package var inputs: [InputSlot] { [.indices("indices", below: .count(depth))] }

  package static let declaration = OperatorDeclaration<Self>(
    "output[i, j, k] = on_value if indices[i, k] = j, else off_value, j along the new axis",
    inputs: [.data("indices", .integer)],
    outputs: [.ofElementType],
    attributes: AttributeSchema(
      Self.init(axis:depth:on:off:elementType:),
      .axis(\.axis, "The position of the new axis in the output."),
      .integer("depth", \.depth, "The size of the new axis.", .atLeast(0)),
      .real("on_value", \.on, "The number at the position of the index."),
      .real("off_value", \.off, "The number at all other positions."),
      .elementType(\.elementType)))

  /// Creates the operator.
  package init(axis: Int, depth: Int, on: Double = 1, off: Double = 0, elementType: ElementType) {
    self.axis = axis
    self.depth = depth
    self.on = on
    self.off = off
    self.elementType = elementType
  }
}

extension OneHot {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let indices = inputs[0]
    guard !indices.elementType.isFloat, indices.elementType != .bool, axis <= indices.rank else {
      throw ShapeError("takes integers of rank \(axis) or more, not \(indices)")
    }
    var shape = indices.shape
    shape.insert(.fixed(depth), at: axis)
    _ = try Dimension.product(shape)
    return [TensorType(elementType, shape)]
  }

  /// The output has a different number of axes than the input, so it cannot be transposed with it.
  package func permutingAxes(_ axes: [Int]) -> OneHot? { nil }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    guard depth <= 1 << 24 else {
      throw .unsupported("vectors of \(depth) elements are too long")
    }
    let type = make.type(make.inputs[0]).elementType
    let isWide = type == .int32 || type == .int64
    let indices = isWide ? make.inputs[0] : try make(Cast(to: .int64), make.inputs[0])
    let column = try make(ExpandDims(axes: [axis]), indices)
    var shape = [Int](repeating: 1, count: make.type(column).rank)
    let values = (
      on: Tensor(elementType, shape: shape, [on]), off: Tensor(elementType, shape: shape, [off])
    )
    shape[axis] = depth
    let positions = Tensor(isWide ? type : .int64, shape: shape, (0..<depth).map { Double($0) })
    let isHot = try make(Comparison(.equal), column, try make.constant(positions))
    return try make.chosen(isHot, try make.constant(values.on), try make.constant(values.off))
  }
}
