package import Bytes
package import GraphIR

/// The place of the largest or smallest element along an axis; of equal ones, of the first.
///
/// - input: any shape with this axis, numbers
/// - output: `elementType`; the input's axes, without `axis` or with extent 1 there
///
/// A NaN counts as the most extreme. Along an axis without elements there is no place.
package struct ExtremeIndex: CatalogOperator {
  /// The axis; the first is 0.
  package let axis: Int
  /// Whether the largest element is looked for.
  package let isMaximum: Bool
  /// Whether the output keeps the axis, with the extent 1.
  package let keepsAxis: Bool
  /// The output's element type.
  package let elementType: ElementType

  package static let kind = "extreme_index"
  package static let version = 1

  package var inputs: [InputSlot] { [.data("input")] }

  package var attributes: Attributes {
    [
      "axis": .integer(axis), "is_maximum": .flag(isMaximum), "keeps_axis": .flag(keepsAxis),
      "element_type": .text(elementType.rawValue),
    ]
  }

  /// Makes the operator.
  package init(axis: Int, isMaximum: Bool, keepsAxis: Bool, elementType: ElementType) {
    self.axis = axis
    self.isMaximum = isMaximum
    self.keepsAxis = keepsAxis
    self.elementType = elementType
  }
}

extension ExtremeIndex {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    axis = try attributes.integer("axis")
    isMaximum = try attributes.flag("is_maximum")
    keepsAxis = try attributes.flag("keeps_axis")
    elementType = try attributes.word("element_type")
    guard axis >= 0 else { throw attributes.malformed("axis \(axis), and the first is 0") }
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard axis < input.rank, input.elementType != .bool else {
      throw ShapeError("takes numbers with an axis \(axis) and has \(input)")
    }
    guard input.shape[axis].value != 0 else {
      throw ShapeError("there is no element along axis \(axis) of \(input)")
    }
    var shape = input.shape
    if keepsAxis { shape[axis] = 1 } else { shape.remove(at: axis) }
    return [TensorType(elementType, shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let input = inputs[0]
    let order = input.shape.indices.filter { $0 != axis } + [axis]
    let (elements, extent) = (input.permuted(order).doubles, input.shape[axis])
    let places = workers.map(elements.count / extent) { lane in
      Double(place(elements[lane * extent..<(lane + 1) * extent]))
    }
    return [Tensor(elementType, shape: shape, places)]
  }

  /// The place of the best of some numbers, from 0 on.
  package func place(_ lane: ArraySlice<Double>) -> Int {
    var best = lane.startIndex
    for index in lane.indices.dropFirst() {
      if lane[best].isNaN { break }
      let isBetter = isMaximum ? lane[index] > lane[best] : lane[index] < lane[best]
      if isBetter || lane[index].isNaN { best = index }
    }
    return best - lane.startIndex
  }

  package var tolerance: Tolerance { Tolerance(absolute: 0, relative: 0) }

  package func permutingAxes(_ axes: [Int]) -> ExtremeIndex? {
    guard keepsAxis, let axis = axes.firstIndex(of: axis) else { return nil }
    return ExtremeIndex(
      axis: axis, isMaximum: isMaximum, keepsAxis: true, elementType: elementType)
  }

  package var decomposition: Decomposition { .primitive }

  package static let keras = SourceMapping<KerasMapping>.unsupported(
    "Keras has it as the operations `argmax` and `argmin`")
}
