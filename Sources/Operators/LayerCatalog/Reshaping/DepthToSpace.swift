package import Bytes
package import GraphIR

/// Rearranges channels into square blocks of an image; the inverse of ``SpaceToDepth``.
///
/// - input: `[batch, height, width, channels]` or `[batch, channels, height, width]`, by `layout`;
///   the channels are a multiple of block²
/// - output: height and width times `block`, and the channels divided by block²
package struct DepthToSpace: ImageOperator, ExactOperator {
  /// The height and width of a block, 1...2³¹ - 1.
  package let block: Int
  /// The order of the axes.
  package let layout: DataLayout

  package static let kind = "depth_to_space"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    In channels-first order, with C = channels / block^2:
    output[n, c, h * block + y, w * block + x] = input[n, (y * block + x) * C + c, h, w]
    """,
    of: .any,
    attributes: AttributeSchema(
      Self.init(block:layout:),
      .integer(
        "block", \.block, "The height and width of a block.", .atLeast(1),
        .atMost(Double(Int32.max))),
      .layout(\.layout)))

  /// Creates the operator.
  package init(block: Int, layout: DataLayout) {
    self.block = block
    self.layout = layout
  }
}

extension DepthToSpace {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    var shape = inputs[0].shape
    guard shape.count == 4 else { throw ShapeError("takes images, not \(inputs[0])") }
    if block == 1 { return inputs }
    for axis in layout.spatialAxes(rank: 4) {
      shape[axis] = try Dimension.product([shape[axis], .fixed(block)])
    }
    let channel = layout.channelAxis(rank: 4)
    shape[channel] = try shape[channel].map { (dimension) throws(ShapeError) in
      guard dimension % (block * block) == 0 else {
        throw ShapeError("the channels of \(inputs[0]) are not a multiple of \(block)²")
      }
      return dimension / (block * block)
    }
    return [inputs[0].with(shape: shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let input = inputs[0].permuted(layout.axesToChannelsFirst(rank: 4))
    let channels = input.shape[1] / (block * block)
    // [batch, y, x, channels, height, width] becomes [batch, channels, height, y, width, x].
    let split = input.splitting(1, into: [block, block, channels])
    let blocks = split.permuted([0, 3, 4, 1, 5, 2]).reshaped(
      [input.shape[0], channels, input.shape[2] * block, input.shape[3] * block])
    let output = blocks.permuted(layout.axesFromChannelsFirst(rank: 4))
    return [output.reshaped(shape)]
  }

  package func permutingAxes(_ axes: [Int]) -> DepthToSpace? {
    guard axes.count == 4, let layout = layout.permuted(by: axes) else { return nil }
    return DepthToSpace(block: block, layout: layout)
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let x = try make.transposed(make.inputs[0], layout.axesToChannelsFirst(rank: 4))
      let (height, width) = (try make.size(x, axis: 2), try make.size(x, axis: 3))
      let channels = try make.size(x, axis: 1) / (block * block)
      // [batch, y, x, channels, height, width] becomes [batch, channels, height, y, width, x].
      let split = ReshapeAxes([
        .axis(0), .fixed(block), .fixed(block), .fixed(channels), .axis(2), .axis(3),
      ])
      let blocks = try make.transposed(try make(split, x), [0, 3, 4, 1, 5, 2])
      let merge = ReshapeAxes([
        .axis(0), .fixed(channels), .fixed(height * block), .fixed(width * block),
      ])
      return try make.transposed(
        try make(merge, blocks), layout.axesFromChannelsFirst(rank: 4))
    }
  }
}
