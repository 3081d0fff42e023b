/// The tiles of an image for a model that takes any size.
struct TilePlan {
  /// The image's size, rounded up to one that the model takes; the edge is repeated to fill it.
  let width, height: Int
  let columns, rows: TileAxis
  /// The ratio of the model's output size to its input size.
  let scale: TileScale

  /// Finds tiles whose sides are multiples of the smallest power of two for which the model's
  /// output size is a multiple of its input size, or the inverse; models with pooling need such
  /// sizes.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when there is none up to 64, or only one side
  ///   of the input is fixed.
  init(
    _ image: Image, _ input: ImageInterface, _ output: ImageOutput, _ graph: Graph, tile: Int,
    overlap: Int
  ) throws(WeighbridgeError) {
    guard input.width == nil, input.height == nil else {
      throw .unsupported(
        "the input \(input.name) is \(input.type): one side is fixed and one is open")
    }
    for step in [1, 2, 4, 8, 16, 32, 64] {
      let side = max(step, tile / step * step)
      let width = (image.width + step - 1) / step * step
      let height = (image.height + step - 1) / step * step
      let columns = TileAxis(length: width, tile: side, overlap: overlap, step: step)
      let rows = TileAxis(length: height, tile: side, overlap: overlap, step: step)
      let size = (width: columns.tile, height: rows.tile)
      guard let outputSize = Self.size(of: output, graph, input, size),
        let scale = TileScale(from: size, to: outputSize), step % scale.inputMultiple == 0
      else { continue }
      (self.width, self.height, self.columns, self.rows) = (width, height, columns, rows)
      self.scale = scale
      return
    }
    throw .unsupported(
      "for an image of \(image.width) x \(image.height), the size of the model's output is neither "
        + "a multiple nor a fraction of the input's, so it cannot be computed in tiles")
  }

  /// Returns the size of the model's output for an input size; `nil` when the model cannot take it.
  private static func size(
    of output: ImageOutput, _ graph: Graph, _ input: ImageInterface,
    _ size: (width: Int, height: Int)
  ) -> (width: Int, height: Int)? {
    guard let axes = input.image.layout.imageAxes(rank: input.type.rank) else { return nil }
    var shape = input.type.shape
    if input.hasBatch { shape[0] = 1 }
    (shape[axes.width], shape[axes.height]) = (.fixed(size.width), .fixed(size.height))
    let types = try? graph.specialized(to: [TensorType(input.type.elementType, shape)])
    guard let port = graph.outputs.first(where: { $0.name == output.name }),
      let type = types?[port.value.index],
      let outputAxes = output.layout.imageAxes(rank: type.rank),
      let width = type.shape[outputAxes.width].value,
      let height = type.shape[outputAxes.height].value
    else { return nil }
    return (width, height)
  }
}
