package import Bytes
package import GraphIR

/// An operator that returns the position of the most extreme element along an axis, the first one
/// if several are equal.
///
/// - input: any shape with this axis, numbers
/// - output: `elementType`; the input's axes, with `axis` removed or of size 1
///
/// NaN counts as the most extreme. An axis without elements is an error.
package protocol ArgumentReduction: ExactOperator {
  /// The axis; the first is 0.
  var axis: Int { get }
  /// Whether the output keeps the axis, with size 1.
  var keepDims: Bool { get }
  /// The output's element type.
  var elementType: ElementType { get }

  /// Creates the operator.
  init(axis: Int, keepDims: Bool, elementType: ElementType)

  /// Whether the most extreme element is the largest, and not the smallest.
  static var prefersLarger: Bool { get }
}

extension ArgumentReduction {
  /// The attributes in which the settings are stored.
  static var attributeSchema: AttributeSchema<Self> {
    AttributeSchema(
      Self.init(axis:keepDims:elementType:),
      .axis(\.axis),
      .keepDims(\.keepDims),
      .elementType(\.elementType))
  }

  package static var version: Int { 1 }

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
      workers.map(elements.count / dimension) { lane in
        Double(extremePosition(elements[lane * dimension..<(lane + 1) * dimension]))
      }
    }
    let numbers =
      input.elementType.isInteger ? positions(ordered.orderedIntegers) : positions(ordered.doubles)
    return [Tensor(elementType, shape: shape, numbers)]
  }

  /// Returns the position of the most extreme of some numbers, counted from 0.
  package func position(_ lane: ArraySlice<Double>) -> Int { extremePosition(lane) }

  private func extremePosition<Number: Comparable>(_ lane: ArraySlice<Number>) -> Int {
    var extreme = lane.startIndex
    for index in lane.indices.dropFirst() {
      let (element, other) = (lane[index], lane[extreme])
      // Only NaN differs from itself.
      if other != other { break }
      if (Self.prefersLarger ? element > other : element < other) || element != element {
        extreme = index
      }
    }
    return extreme - lane.startIndex
  }

  package func permutingAxes(_ axes: [Int]) -> Self? {
    guard keepDims, let axis = axes.firstIndex(of: axis) else { return nil }
    return Self(axis: axis, keepDims: true, elementType: elementType)
  }
}
