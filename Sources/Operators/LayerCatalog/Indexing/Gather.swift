package import Bytes
package import GraphIR

/// Slices of a tensor, selected by indices along an axis.
///
/// - input: any shape and element type
/// - indices: integers, any shape; the first `batch_axes` axes are the input's; negative ones count
///   from the end
/// - output: the input's axes before `axis`, then the indices' axes after the batch axes, then the
///   input's axes after `axis`
///
/// An index outside of the axis is an error when the model runs.
package struct Gather: ExactOperator, PrimitiveOperator {
  /// The axis that the indices refer to, at least `batchAxes`.
  package let axis: Int
  /// The number of leading axes shared by the input and the indices.
  package let batchAxes: Int

  package static let kind = "gather"
  package static let version = 1

  package var inputs: [InputSlot] {
    [.data("input"), .indices("indices", below: .size(ofInput: 0, axis: axis))]
  }

  package static let declaration = OperatorDeclaration<Self>(
    """
    output[b, i, j, k] = input[b, i, indices[b, j], k],
      b along the first batch_axes axes, i along those up to axis, k along those after it
    An index below 0 counts from the end: the size of axis is added to it.
    """,
    inputs: [.data("input", .any), .data("indices", .integer)],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(axis:batchAxes:),
      .axis(\.axis, "The axis of the input that is indexed."),
      .integer(
        "batch_axes", \.batchAxes, "The number of leading axes that input and indices share.",
        .atLeast(0), .atMostThat(of: "axis"))),
    concepts: [.indices])

  /// Creates the operator.
  package init(axis: Int, batchAxes: Int = 0) {
    self.axis = axis
    self.batchAxes = batchAxes
  }
}

extension Gather {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, indices) = (inputs[0], inputs[1])
    guard !indices.elementType.isFloat, indices.elementType != .bool else {
      throw ShapeError("the indices \(indices) are not integers")
    }
    guard axis < input.rank, batchAxes <= indices.rank else {
      throw ShapeError(
        "has no axis \(axis) after \(batchAxes.counted("batch axis")): \(input), \(indices)")
    }
    var shape = Array(input.shape[..<axis])
    for batchAxis in 0..<batchAxes {
      guard shape[batchAxis].agrees(with: indices.shape[batchAxis]) else {
        throw ShapeError("the axes \(batchAxis) of \(input) and \(indices) differ")
      }
      shape[batchAxis] = shape[batchAxis].merged(with: indices.shape[batchAxis])
    }
    return [
      input.with(shape: shape + indices.shape[batchAxes...] + input.shape[(axis + 1)...])
    ]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let (input, shape) = (inputs[0], try outputShape(of: inputs))
    let indices = try inputs[1].nonNegativeIndices(dimension: input.shape[axis])
    let bytes = input.contiguousBytes()
    let size = input.shape[(axis + 1)...].reduce(input.elementType.byteCount, *)
    let batches = input.shape[..<batchAxes].reduce(1, *)
    let middle = input.shape[batchAxes..<axis].reduce(1, *)
    let indexCount = batches == 0 ? 0 : indices.count / batches
    var result: [UInt8] = []
    for outer in 0..<batches * middle {
      let batch = outer / max(1, middle)
      for index in indices[batch * indexCount..<(batch + 1) * indexCount] {
        let start = (outer * input.shape[axis] + index) * size
        result += bytes[start..<start + size]
      }
    }
    return [Tensor(input.elementType, shape: shape, bytes: result)]
  }

  /// The output's axes come from both inputs, so no single permutation applies to all three.
  package func permutingAxes(_ axes: [Int]) -> Gather? { nil }
}

extension Tensor {
  /// The elements as indices along an axis of `dimension` elements; negative ones, which count from
  /// the end, become the equivalent non-negative ones.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an index outside of the axis.
  package func nonNegativeIndices(dimension: Int) throws(WeighbridgeError) -> [Int] {
    var result: [Int] = []
    for (position, element) in doubles.enumerated() {
      guard let index = Int(exactly: element), (-dimension..<dimension).contains(index) else {
        throw .mismatch("element \(position) is \(element), but the axis has \(dimension) elements")
      }
      result.append(index < 0 ? index + dimension : index)
    }
    return result
  }
}
