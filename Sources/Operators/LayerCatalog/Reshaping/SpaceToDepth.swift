package import Bytes
package import GraphIR

/// Rearranges square blocks of an image into channels.
///
/// - input: `[batch, height, width, channels]` or `[batch, channels, height, width]`, by `layout`;
///   height and width are multiples of `block`
/// - output: height and width divided by `block`, and block² times as many channels
package struct SpaceToDepth: FormulaOperator, ImageOperator, ExactOperator {
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

  package func permutingAxes(_ axes: [Int]) -> SpaceToDepth? {
    guard axes.count == 4, let layout = layout.permuted(by: axes) else { return nil }
    return SpaceToDepth(block: block, layout: layout)
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    guard make.type(x).rank == 4 else { throw .malformed("takes images, not \(make.type(x))") }
    let axes = Array(layout.spatialAxes(rank: 4))
    let (height, width) = (
      try make.size(x, axis: axes[0]) / block, try make.size(x, axis: axes[1]) / block
    )
    let channels = make.type(x).shape[layout.channelAxis(rank: 4)].value
    let depth = channels.map { ReshapeAxes.Size.fixed($0 * block * block) } ?? .rest
    let cells = [height, block, width, block].map { ReshapeAxes.Size.fixed($0) }
    guard layout == .channelsFirst else {
      // [batch, height, y, width, x, channels] becomes [batch, height, width, y, x, channels].
      let split = ReshapeAxes([.axis(0)] + cells + [.axis(3)])
      let blocks = try make.transposed(try make(split, x), [0, 1, 3, 2, 4, 5])
      return try make(ReshapeAxes([.axis(0), .axis(1), .axis(2), depth]), blocks)
    }
    // [batch, channels, height, y, width, x] becomes [batch, y, x, channels, height, width].
    let split = ReshapeAxes([.axis(0), .axis(1)] + cells)
    let blocks = try make.transposed(try make(split, x), [0, 3, 5, 1, 2, 4])
    return try make(ReshapeAxes([.axis(0), depth, .axis(4), .axis(5)]), blocks)
  }
}
