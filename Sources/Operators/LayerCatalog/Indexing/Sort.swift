package import Bytes
package import GraphIR

/// The elements along an axis in sorted order, or only the first of them, and their original
/// positions.
///
/// - input: any shape, numbers
/// - values: the input's type; `k` elements along `axis`, or all if `k` is -1
/// - indices: int32, the same shape: the position of each value in the input
///
/// Equal elements keep their order, and NaN comes last.
package struct Sort: ExactOperator, PrimitiveOperator {
  /// The axis; the first is 0.
  package let axis: Int
  /// Whether the largest element comes first.
  package let isDescending: Bool
  /// The number of elements that are kept; `nil` for all.
  package let count: Int?

  package static let kind = "sort"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    order = the positions along axis by ascending x, or by descending x if descending;
      of equal x the lower position first; NaN last
    values[i] = x[order[i]], indices[i] = order[i], for the first k, or all if k = -1
    """,
    inputs: [.data("input", .number)],
    outputs: [.like("input", as: "values"), .of(.int32, as: "indices")],
    attributes: AttributeSchema(
      { (axis, isDescending, count) in
        Self(axis: axis, isDescending: isDescending, count: count < 0 ? nil : count)
      },
      .axis(\.axis, "The axis along which the elements are sorted."),
      .boolean("descending", \.isDescending, "Whether the largest element comes first."),
      .integer(
        "k", { @Sendable in $0.count ?? -1 }, "The number of elements that are kept; -1 for all.",
        .atLeast(-1))))

  /// Creates the operator.
  package init(axis: Int, isDescending: Bool, count: Int? = nil) {
    self.axis = axis
    self.isDescending = isDescending
    self.count = count
  }
}

extension Sort {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard axis < input.rank, input.elementType != .bool else {
      throw ShapeError("cannot sort axis \(axis) of \(input)")
    }
    var shape = input.shape
    if let count {
      if let dimension = shape[axis].value, dimension < count {
        throw ShapeError(
          "keeps \(count.counted("element")) along axis \(axis) of \(input), which has fewer")
      }
      shape[axis] = .fixed(count)
    }
    return [input.with(shape: shape), TensorType(.int32, shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let input = inputs[0]
    _ = try outputShape(of: inputs)
    let order = input.shape.indices.filter { $0 != axis } + [axis]
    let (transposed, type) = (input.permuted(order), input.elementType)
    let shape: [Int] = transposed.shape.dropLast() + [count ?? input.shape[axis]]
    let (values, positions): (Tensor, [Double])
    if type.isInteger {
      let sorted = sorted(transposed.orderedIntegers, input.shape[axis], workers)
      (values, positions) = (Tensor(ordered: type, shape: shape, sorted.values), sorted.positions)
    } else {
      let sorted = sorted(transposed.doubles, input.shape[axis], workers)
      (values, positions) = (Tensor(type, shape: shape, sorted.values), sorted.positions)
    }
    let inverse = order.inversePermutation
    return [
      values.permuted(inverse), Tensor(.int32, shape: shape, positions).permuted(inverse),
    ]
  }

  /// The elements that are kept of each lane, and their positions.
  ///
  /// - Parameter dimension: The length of the lanes.
  private func sorted<Number: Comparable & Sendable>(
    _ elements: [Number], _ dimension: Int, _ workers: Workers
  ) -> (values: [Number], positions: [Double]) {
    let lanes = workers.mapInBatches(dimension == 0 ? 0 : elements.count / dimension) { lane in
      sorted(elements[lane * dimension..<(lane + 1) * dimension]).prefix(count ?? dimension)
    }
    let values = lanes.enumerated().flatMap { lane, positions in
      positions.map { elements[lane * dimension + $0] }
    }
    return (values, lanes.joined().map { Double($0) })
  }

  /// The positions of a lane's elements in sorted order.
  private func sorted<Number: Comparable>(_ lane: ArraySlice<Number>) -> [Int] {
    let elements = Array(lane)
    return elements.indices.sorted { first, second in
      let (lhs, rhs) = (elements[first], elements[second])
      // Only NaN differs from itself.
      if lhs != lhs || rhs != rhs {
        return (lhs != lhs) == (rhs != rhs) ? first < second : rhs != rhs
      }
      if lhs == rhs { return first < second }
      return isDescending ? lhs > rhs : lhs < rhs
    }
  }

  package func permutingAxes(_ axes: [Int]) -> Sort? {
    axes.firstIndex(of: axis).map { Sort(axis: $0, isDescending: isDescending, count: count) }
  }
}
