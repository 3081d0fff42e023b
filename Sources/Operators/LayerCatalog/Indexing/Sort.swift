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
        throw ShapeError("keeps \(count) elements along axis \(axis) of \(input)")
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
    let transposed = input.permuted(order)
    let (elements, dimension) = (transposed.doubles, input.shape[axis])
    let kept = count ?? dimension
    let lanes = workers.map(dimension == 0 ? 0 : elements.count / dimension) { lane in
      Array(sorted(elements[lane * dimension..<(lane + 1) * dimension]).prefix(kept))
    }
    let inverse = order.inversePermutation
    let shape = transposed.shape.dropLast() + [kept]
    let positions = lanes.joined().map { Double($0) }
    let values = lanes.enumerated().flatMap { lane, positions in
      positions.map { elements[lane * dimension + $0] }
    }
    return [
      Tensor(input.elementType, shape: Array(shape), values).permuted(inverse),
      Tensor(.int32, shape: Array(shape), positions).permuted(inverse),
    ]
  }

  /// The positions of a lane's elements in sorted order.
  private func sorted(_ lane: ArraySlice<Double>) -> [Int] {
    let elements = Array(lane)
    return elements.indices.sorted { first, second in
      let (lhs, rhs) = (elements[first], elements[second])
      if lhs.isNaN || rhs.isNaN {
        return lhs.isNaN == rhs.isNaN ? first < second : rhs.isNaN
      }
      if lhs == rhs { return first < second }
      return isDescending ? lhs > rhs : lhs < rhs
    }
  }

  package func permutingAxes(_ axes: [Int]) -> Sort? {
    axes.firstIndex(of: axis).map { Sort(axis: $0, isDescending: isDescending, count: count) }
  }
}
