package import Bytes
package import GraphIR

/// Adds zeros around the spatial axes.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: each spatial axis extended by the added zeros
package struct ZeroPadding: ImageOperator, ExactOperator {
  /// The numbers of zeros that are added at both ends of each spatial axis.
  package let borders: Borders
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "zero_padding"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    output size = input size + before + after
    output[n, c, i] = input[n, c, i - before], 0 outside of the input
    """,
    of: .any,
    attributes: AttributeSchema(
      Self.init(borders:layout:),
      .part(\.borders, Borders.schema),
      .layout(\.layout)))

  /// Creates the operator.
  package init(borders: Borders, layout: DataLayout) {
    self.borders = borders
    self.layout = layout
  }
}

extension ZeroPadding {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let output = try inputs[0].mappingSpatialAxes(layout, count: borders.before.count) {
      (axis, dimension) throws(ShapeError) in
      let (sum, overflow) = dimension.addingReportingOverflow(
        borders.before[axis] + borders.after[axis])
      guard !overflow else {
        throw ShapeError("an axis of \(dimension) elements is too long to pad")
      }
      return sum
    }
    return [output]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let input = inputs[0]
    let (rank, size) = (input.shape.count, input.elementType.byteCount)
    let shape = try outputShape(of: inputs)
    let steps = Tensor.rowMajorStrides(shape)
    let start = zip(layout.spatialAxes(rank: rank), borders.before)
      .reduce(0) { $0 + steps[$1.0] * $1.1 }
    let source = input.contiguousBytes()
    // Zero is all zero bits in every element type.
    var bytes = [UInt8](repeating: 0, count: shape.reduce(size, *))
    let width = input.shape[rank - 1] * size
    var next = 0
    for row in PaddedPlanes.offsets(Array(input.shape.dropLast()), Array(steps.dropLast())) {
      let target = (start + row) * size
      bytes.replaceSubrange(target..<target + width, with: source[next..<next + width])
      next += width
    }
    return [Tensor(input.elementType, shape: shape, bytes: bytes)]
  }

  package func permutingAxes(_ axes: [Int]) -> ZeroPadding? {
    guard axes.count == borders.before.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return ZeroPadding(borders: borders, layout: layout)
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let rank = make.type(make.inputs[0]).rank
      let axes = layout.spatialAxes(rank: rank)
      var (before, after) = ([Int](repeating: 0, count: rank), [Int](repeating: 0, count: rank))
      before.replaceSubrange(axes, with: borders.before)
      after.replaceSubrange(axes, with: borders.after)
      return try make(Pad(before: before, after: after, mode: .constant), make.inputs[0])
    }
  }
}
