package import Bytes
package import GraphIR

/// A convolution with a separate kernel at each position.
///
/// - input: `[batch, spatial..., in]` or `[batch, in, spatial...]`, by `layout`, with exactly the
///   spatial sizes `input_size`
/// - kernel: `[position..., out, in, window...]`
/// - bias: `[position..., out]`; only if `bias` is true
/// - output: the input's axes, with the positions as spatial axes and `out` channels
package struct LocallyConnected: ImageOperator, PrimitiveOperator {
  /// The input's spatial sizes.
  package let dimensions: [Int]
  /// The distance between adjacent windows, at least 1.
  package let strides: [Int]
  /// The number of elements by which the first window starts before the input.
  package let before: [Int]
  /// Whether there is a bias.
  package let hasBias: Bool
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "locally_connected"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    In channels-first order, with positions p and window elements k along all spatial axes:
    output[n, o, p] = bias[p, o] + sum over c, k of
      kernel[p, o, c, k] * input[n, c, p * strides + k - padding_before]
    Elements outside of the input are 0. The sizes of the window and of the output are the \
    kernel's.
    """,
    inputs: [.data("input", .float), .weight("kernel"), .weight("bias", .when("bias"))],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(dimensions:strides:before:hasBias:layout:),
      .integers(
        "input_size", \.dimensions, "The input's size along each spatial axis.", .atLeast(1),
        .sizeLimit, .minimumCount(1)),
      .integers(
        "strides", \.strides, "The distance from one window to the next.", .countOf("input_size"),
        .atLeast(1), .sizeLimit),
      .integers(
        "padding_before", \.before,
        "The number of elements by which the first window starts before the input.",
        .countOf("input_size"), .atLeast(0), .sizeLimit),
      .boolean("bias", \.hasBias, "Whether there is a bias; 0 otherwise."),
      .layout(\.layout)))

  /// Creates the operator.
  package init(
    dimensions: [Int], strides: [Int], before: [Int], hasBias: Bool, layout: DataLayout
  ) {
    self.dimensions = dimensions
    self.strides = strides
    self.before = before
    self.hasBias = hasBias
    self.layout = layout
  }
}

extension LocallyConnected {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, kernel) = (inputs[0], inputs[1])
    let axes = dimensions.count
    guard input.rank == axes + 2, input.elementType.isFloat,
      zip(layout.spatialAxes(rank: input.rank), dimensions).allSatisfy({
        input.shape[$0].agrees(with: .fixed($1))
      })
    else { throw ShapeError("takes the spatial sizes \(dimensions), not \(input)") }
    guard let shape = kernel.fixedShape, shape.count == 2 * axes + 2,
      shape.allSatisfy({ (0...1 << 24).contains($0) })
    else { throw ShapeError("the kernel \(kernel) is not [position..., out, in, window...]") }
    let channels = input.shape[layout.channelAxis(rank: input.rank)]
    guard channels.agrees(with: .fixed(shape[axes + 1])) else {
      throw ShapeError("the kernel \(kernel) does not fit the \(channels) channels of \(input)")
    }
    if hasBias, inputs[2].shape != shape[...axes].map(Dimension.fixed) {
      throw ShapeError("the bias \(inputs[2]) does not fit the kernel \(kernel)")
    }
    var output = input
    output.shape[layout.channelAxis(rank: input.rank)] = .fixed(shape[axes])
    output.shape.replaceSubrange(
      layout.spatialAxes(rank: input.rank), with: shape[..<axes].map(Dimension.fixed))
    return [output]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    _ = try outputShape(of: inputs)
    let rank = inputs[0].shape.count
    let transposed = inputs[0].permuted(layout.axesToChannelsFirst(rank: rank))
    let (elements, kernel) = (transposed.doubles, inputs[1].doubles)
    let bias = hasBias ? inputs[2].doubles : nil
    let (axes, shape) = (dimensions.count, inputs[1].shape)
    let (positions, filters) = (shape[..<axes].reduce(1, *), shape[axes])
    let (channels, size) = (shape[axes + 1], dimensions.reduce(1, *))
    let columns = workers.map(transposed.shape[0] * positions) { row in
      let (image, position) = (row / positions, row % positions)
      let taps = taps(of: position, shape)
      let count = shape[(axes + 2)...].reduce(1, *)
      return (0..<filters).map { filter in
        var sum = bias?[position * filters + filter] ?? 0
        for channel in 0..<channels {
          let weight = ((position * filters + filter) * channels + channel) * count
          let element = (image * channels + channel) * size
          for (tap, offset) in taps { sum += kernel[weight + tap] * elements[element + offset] }
        }
        return sum
      }
    }
    let output = Tensor(
      inputs[0].elementType, shape: [transposed.shape[0]] + shape[...axes],
      columns.flatMap { $0 })
    let order = [0, axes + 1] + Array(1..<axes + 1)
    return [output.permuted(order).permuted(layout.axesFromChannelsFirst(rank: rank))]
  }

  /// The elements of a position's window that are inside the input: their indices in the window and
  /// their offsets in a channel.
  private func taps(of position: Int, _ shape: [Int]) -> [(tap: Int, offset: Int)] {
    let axes = dimensions.count
    var (taps, remainder) = ([(tap: 0, offset: 0)], position)
    var indices = [Int](repeating: 0, count: axes)
    for axis in (0..<axes).reversed() {
      indices[axis] = remainder % shape[axis]
      remainder /= shape[axis]
    }
    for axis in 0..<axes {
      let width = shape[axes + 2 + axis]
      let start = indices[axis] * strides[axis] - before[axis]
      let inside = (0..<width).filter { (0..<dimensions[axis]).contains(start + $0) }
      taps = taps.flatMap { tap in
        inside.map { (tap.tap * width + $0, tap.offset * dimensions[axis] + start + $0) }
      }
    }
    return taps
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  /// Each weight of the kernel is used once for each image.
  package var cost: OperatorCost { .products { inputs, _ in [[inputs[0][0]] + inputs[1]] } }

  package func permutingAxes(_ axes: [Int]) -> LocallyConnected? {
    guard axes.count == dimensions.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return LocallyConnected(
      dimensions: dimensions, strides: strides, before: before, hasBias: hasBias, layout: layout)
  }
}

/// As products of matrices, one for each position.
extension LocallyConnected {
  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let kernel = make.inputs[1]
      let shape = try make.sizes(kernel)
      let axes = dimensions.count
      let spatial = Array(1..<axes + 1)
      // [batch, position..., window * in] to [position..., batch, window * in]
      let rows = try make.transposed(
        try windows(&make, shape), spatial + [0, axes + 1])
      let order = Array(0...axes) + Array(axes + 2..<shape.count) + [axes + 1]
      let count = shape[(axes + 1)...].reduce(1, *)
      let matrices = try make(
        ReshapeAxes((shape[...axes] + [count]).map { .fixed($0) }),
        try make.transposed(kernel, order))
      let products = try make.matrixProduct(rows, matrices, transposeB: true)
      var output = try make.transposed(products, [axes] + Array(0..<axes) + [axes + 1])
      if hasBias {
        output = try make.sum(
          output, try make.aligned(make.inputs[2], to: spatial + [axes + 1], of: output))
      }
      return try make.transposed(output, layout.axesFromChannelsLast(axes))
    }
  }

  /// The elements in the window of each position: `[batch, position..., window * in]`.
  private func windows(
    _ make: inout Composition, _ shape: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    let axes = dimensions.count
    let after = (0..<axes).map { axis in
      let end = (shape[axis] - 1) * strides[axis] + shape[axes + 2 + axis]
      return max(0, end - before[axis] - dimensions[axis])
    }
    let image = try make(
      Pad(before: [0] + before + [0], after: [0] + after + [0], mode: .constant),
      try make.transposed(make.inputs[0], layout.axesToChannelsLast(axes)))
    var taps: [[Int]] = [[]]
    for width in shape[(axes + 2)...] {
      taps = taps.flatMap { tap in (0..<width).map { tap + [$0] } }
    }
    var elements: [ValueID] = []
    for tap in taps {
      let ranges = (0..<axes).map { axis in
        Slice.Range(
          axis: axis + 1, start: tap[axis],
          stop: tap[axis] + (shape[axis] - 1) * strides[axis] + 1, step: strides[axis])
      }
      elements.append(try make(Slice(ranges), image))
    }
    return elements.count == 1
      ? elements[0] : try make.apply(Concatenate(axis: axes + 1), elements)
  }
}

extension DataLayout {
  /// The order of axes that moves the channels after some spatial axes.
  fileprivate func axesToChannelsLast(_ count: Int) -> [Int] {
    self == .channelsLast ? Array(0..<count + 2) : [0] + Array(2..<count + 2) + [1]
  }

  /// The opposite order.
  fileprivate func axesFromChannelsLast(_ count: Int) -> [Int] {
    axesToChannelsLast(count).inversePermutation
  }
}
