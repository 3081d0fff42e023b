package import Bytes
package import GraphIR

/// Elements selected by indices along an axis.
///
/// - input: any shape and element type
/// - indices: integers, with the input's rank, and its sizes along all axes except `axis`; negative
///   ones count from the end
/// - output: the indices' shape
///
/// An index outside of the axis is an error when the model runs.
package struct GatherElements: ExactOperator, PrimitiveOperator {
  /// The axis that the indices refer to; the first is 0.
  package let axis: Int

  package static let kind = "gather_elements"
  package static let version = 1

  package var inputs: [InputSlot] {
    [.data("input"), .indices("indices", below: .size(ofInput: 0, axis: axis))]
  }

  package static let declaration = OperatorDeclaration<Self>(
    """
    output[i, j, k] = input[i, indices[i, j, k], k], i along the axes before axis, j along axis
    An index below 0 counts from the end: the size of axis is added to it.
    """,
    inputs: [.data("input", .any), .data("indices", .integer)],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(axis:),
      .axis(\.axis, "The axis that is indexed.")),
    concepts: [.indices])

  /// Creates the operator.
  package init(axis: Int) { self.axis = axis }
}

extension GatherElements {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, indices) = (inputs[0], inputs[1])
    guard !indices.elementType.isFloat, indices.elementType != .bool else {
      throw ShapeError("the indices \(indices) are not integers")
    }
    guard axis < input.rank, input.rank == indices.rank,
      input.shape.indices.allSatisfy({
        $0 == axis || input.shape[$0].agrees(with: indices.shape[$0])
      })
    else { throw ShapeError("\(input) and \(indices) differ along axes other than \(axis)") }
    let merged = zip(indices.shape, input.shape).enumerated().map {
      $0 == axis ? $1.0 : $1.0.merged(with: $1.1)
    }
    return [input.with(shape: merged)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let (input, shape) = (inputs[0], inputs[1].shape)
    let indices = try inputs[1].nonNegativeIndices(dimension: input.shape[axis])
    let inner = shape[(axis + 1)...].reduce(1, *)
    let blockSize = max(1, shape[axis] * inner)
    func selected<Number>(_ elements: [Number]) -> [Number] {
      indices.enumerated().map { offset, index in
        elements[(offset / blockSize * input.shape[axis] + index) * inner + offset % max(1, inner)]
      }
    }
    return [
      input.elementType.isInteger
        ? Tensor(wrapping: input.elementType, shape: shape, selected(input.wrappedIntegers))
        : Tensor(input.elementType, shape: shape, selected(input.doubles))
    ]
  }

  package func permutingAxes(_ axes: [Int]) -> GatherElements? {
    axes.firstIndex(of: axis).map(GatherElements.init(axis:))
  }
}
