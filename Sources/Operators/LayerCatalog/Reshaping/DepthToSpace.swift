package import Bytes
package import GraphIR

/// Rearranges channels into square blocks of an image; the inverse of ``SpaceToDepth``.
///
/// - input: `[batch, height, width, channels]` or `[batch, channels, height, width]`, by `layout`;
///   the channels are a multiple of block²
/// - output: height and width times `block`, and the channels divided by block²
package struct DepthToSpace: FormulaOperator, ImageOperator, ExactOperator {
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

  package func permutingAxes(_ axes: [Int]) -> DepthToSpace? {
    guard axes.count == 4, let layout = layout.permuted(by: axes) else { return nil }
    return DepthToSpace(block: block, layout: layout)
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let (x, axes) = (make.inputs[0], Array(layout.spatialAxes(rank: 4)))
    guard make.type(x).rank == 4 else { throw .malformed("takes images, not \(make.type(x))") }
    let channels = try make.size(x, axis: layout.channelAxis(rank: 4)) / (block * block)
    let image = [
      ReshapeAxes.Size.fixed(try make.size(x, axis: axes[0]) * block),
      .fixed(try make.size(x, axis: axes[1]) * block),
    ]
    let depth = [block, block, channels].map { ReshapeAxes.Size.fixed($0) }
    guard layout == .channelsFirst else {
      // [batch, height, width, y, x, channels] becomes [batch, height, y, width, x, channels].
      let split = ReshapeAxes([.axis(0), .axis(1), .axis(2)] + depth)
      let blocks = try make.transposed(try make(split, x), [0, 1, 3, 2, 4, 5])
      return try make(ReshapeAxes([.axis(0)] + image + [.axis(5)]), blocks)
    }
    // [batch, y, x, channels, height, width] becomes [batch, channels, height, y, width, x].
    let split = ReshapeAxes([.axis(0)] + depth + [.axis(2), .axis(3)])
    let blocks = try make.transposed(try make(split, x), [0, 3, 4, 1, 5, 2])
    return try make(ReshapeAxes([.axis(0), .axis(1)] + image), blocks)
  }
}
