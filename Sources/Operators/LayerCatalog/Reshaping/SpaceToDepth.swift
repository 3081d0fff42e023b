package import Bytes
package import GraphIR

/// Rearranges square blocks of an image into channels.
///
/// - input: `[batch, height, width, channels]` or `[batch, channels, height, width]`, by `layout`;
///   height and width are multiples of `block`
/// - output: height and width divided by `block`, and block² times as many channels
package struct SpaceToDepth: ImageOperator, ExactOperator {
  /// The height and width of a block, at least 1.
  package let block: Int
  /// The order of the axes.
  package let layout: DataLayout

  package static let kind = "space_to_depth"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    In channels-first order, with C = channels of the input:
    output[n, (y * block + x) * C + c, h, w] = input[n, c, h * block + y, w * block + x]
    """,
    of: .any,
    attributes: AttributeSchema(
      Self.init(block:layout:),
      .integer(
        "block", \.block, "The height and width of a block; divides height and width.", .atLeast(1)),
      .layout(\.layout)))

  /// Creates the operator.
  package init(block: Int, layout: DataLayout) {
    self.block = block
    self.layout = layout
  }
}

extension SpaceToDepth {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    var shape = inputs[0].shape
    guard shape.count == 4 else { throw ShapeError("takes images, not \(inputs[0])") }
    for axis in layout.spatialAxes(rank: 4) where block > 1 {
      shape[axis] = try shape[axis].map { (dimension) throws(ShapeError) in
        guard dimension % block == 0 else {
          throw ShapeError("a spatial size of \(inputs[0]) is not a multiple of \(block)")
        }
        return dimension / block
      }
    }
    let channel = layout.channelAxis(rank: 4)
    if block > 1 {
      shape[channel] = try Dimension.product([shape[channel], .fixed(block), .fixed(block)])
    }
    return [inputs[0].with(shape: shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let input = inputs[0].permuted(layout.axesToChannelsFirst(rank: 4))
    let (height, width) = (input.shape[2] / block, input.shape[3] / block)
    // [batch, channels, height, y, width, x] becomes [batch, y, x, channels, height, width].
    let split = input.splitting(3, into: [width, block]).splitting(2, into: [height, block])
    let blocks = split.permuted([0, 3, 5, 1, 2, 4]).reshaped(
      [input.shape[0], block * block * input.shape[1], height, width])
    let output = blocks.permuted(layout.axesFromChannelsFirst(rank: 4))
    return [output.reshaped(shape)]
  }

  package func permutingAxes(_ axes: [Int]) -> SpaceToDepth? {
    guard axes.count == 4, let layout = layout.permuted(by: axes) else { return nil }
    return SpaceToDepth(block: block, layout: layout)
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let x = try make.transposed(make.inputs[0], layout.axesToChannelsFirst(rank: 4))
      let (height, width) = (try make.size(x, axis: 2) / block, try make.size(x, axis: 3) / block)
      // [batch, channels, height, y, width, x] becomes [batch, y, x, channels, height, width].
      let split = ReshapeAxes([
        .axis(0), .axis(1), .fixed(height), .fixed(block), .fixed(width), .fixed(block),
      ])
      let blocks = try make.transposed(try make(split, x), [0, 3, 5, 1, 2, 4])
      let merge = ReshapeAxes([.axis(0), .rest, .fixed(height), .fixed(width)])
      return try make.transposed(
        try make(merge, blocks), layout.axesFromChannelsFirst(rank: 4))
    }
  }
}
