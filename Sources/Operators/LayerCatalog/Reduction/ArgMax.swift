package import Bytes
package import GraphIR

/// The position of the largest element along an axis, the first one if several are equal.
///
/// - input: any shape with this axis, numbers
/// - output: of the type `element_type`; the input's axes, with `axis` removed or of size 1
///
/// NaN counts as the largest. An axis without elements is an error.
package struct ArgMax: ArgumentReduction, CatalogOperator, PrimitiveOperator {
  /// The axis; the first is 0.
  package let axis: Int
  /// Whether the output keeps the axis, with size 1.
  package let keepDims: Bool
  /// The output's element type.
  package let elementType: ElementType

  package static let kind = "argmax"

  package static let declaration = OperatorDeclaration<Self>(
    "y = the first position i along axis of the largest x[i]; of the first NaN if there is one",
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

extension ArgMax {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard axis < input.rank, input.elementType != .bool else {
      throw ShapeError("takes numbers with an axis \(axis), not \(input)")
    }
    guard input.shape[axis].value != 0 else {
      throw ShapeError("there is no element along axis \(axis) of \(input)")
    }
    var shape = input.shape
    if keepDims { shape[axis] = 1 } else { shape.remove(at: axis) }
    return [TensorType(elementType, shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let input = inputs[0]
    let order = input.shape.indices.filter { $0 != axis } + [axis]
    let (ordered, dimension) = (input.permuted(order), input.shape[axis])
    func positions<Number: Comparable & Sendable>(_ elements: [Number]) -> [Double] {
      workers.mapInBatches(elements.count / dimension) { lane in
        Double(Self.position(elements[lane * dimension..<(lane + 1) * dimension]))
      }
    }
    let numbers =
      input.elementType.isInteger ? positions(ordered.orderedIntegers) : positions(ordered.doubles)
    return [Tensor(elementType, shape: shape, numbers)]
  }

  /// Returns the position of the largest of some numbers, counted from 0.
  package static func position<Number: Comparable>(_ lane: ArraySlice<Number>) -> Int {
    var largest = lane.startIndex
    for index in lane.indices.dropFirst() {
      let (element, other) = (lane[index], lane[largest])
      // Only NaN differs from itself.
      if other != other { break }
      if element > other || element != element { largest = index }
    }
    return largest - lane.startIndex
  }
}
