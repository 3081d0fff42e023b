public import Bytes
public import Vision

/// A model that transforms an image into an image, such as one that paints photos in a style.
///
/// ```swift
/// let stylizer = try Stylizer(Model(contentsOf: "style.wbm"))
/// try stylizer.stylize(Image(contentsOf: "photo.jpg")).write(to: "painting.png")
/// ```
///
/// An image is resized to the input's size if that is fixed. If the model takes any size, the image
/// keeps its own: it is computed in overlapping tiles, which are blended gradually. A layer that
/// depends on the whole image, such as an instance normalization, then sees each tile separately.
public struct Stylizer: Sendable {
  /// The model.
  public let model: Model
  private let options: StylizeOptions
  private let session: Session
  private let input: ImageInterface
  private let output: ImageOutput

  /// Creates a stylizer.
  ///
  /// - Parameters:
  ///   - model: A model that takes one image whose preprocessing is described, and returns one
  ///     output with the axes of an image.
  ///   - options: How images are made.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the model has another purpose (the message
  ///   says which), does not say how an image becomes its input, or an option is out of range;
  ///   ``WeighbridgeError/Code/unsupported`` when it cannot run.
  public init(
    _ model: Model, options: StylizeOptions = StylizeOptions()
  ) throws(WeighbridgeError) {
    try options.check()
    let (graph, description) = (model.content.graph, model.metadata)
    input = try ImageInterface(graph, description, for: "a model for images")
    let port = try ModelPurpose(graph, description).image(graph)
    output = try ImageOutput(graph, description, port, like: input.image, given: options.output)
    self.model = model
    self.options = options
    session = try model.session(options.run)
  }

  /// Returns the image that the model computes from an image.
  ///
  /// - Parameter image: An image of any size.
  /// - Returns: An image of the size that the model returns; for a letterbox, only the part with
  ///   the image.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the model returns NaN or infinite elements,
  ///   ``WeighbridgeError/Code/mismatch`` when they cannot be an image,
  ///   ``WeighbridgeError/Code/unsupported`` when the size of its output is not a multiple of the
  ///   image's, ``WeighbridgeError/Code/limitExceeded``, ``WeighbridgeError/Code/cancelled``.
  public func stylize(_ image: Image) throws(WeighbridgeError) -> Image {
    guard input.width == nil || input.height == nil else { return try scaled(image) }
    return try tiled(image)
  }

  /// Transforms an image at the model's fixed size.
  private func scaled(_ image: Image) throws(WeighbridgeError) -> Image {
    let (width, height) = try input.fixedSize()
    let (tensor, placement) = try image.tensor(
      for: input, model, width: width, height: height, resize: options.resize,
      resampling: options.resampling)
    let result = try run(tensor)
    let whole = try output.image(result.numbers, width: result.width, height: result.height)
    guard placement.scale.x <= 1, placement.scale.y <= 1 else { return whole }
    let part = (
      width: max(1, Int((placement.scale.x * Double(whole.width)).rounded())),
      height: max(1, Int((placement.scale.y * Double(whole.height)).rounded()))
    )
    return whole.region(
      x: (whole.width - part.width) / 2, y: (whole.height - part.height) / 2, width: part.width,
      height: part.height)
  }

  /// Transforms an image at its own size, in tiles.
  private func tiled(_ image: Image) throws(WeighbridgeError) -> Image {
    let plan = try TilePlan(
      image, input, output, model.content.graph, tile: options.tile, overlap: options.overlap)
    var blend = TileBlend(
      width: plan.scale.scaled(plan.width), height: plan.scale.scaled(plan.height),
      channelCount: output.encoding.colorOrder.componentCount)
    for (row, y) in plan.rows.origins.enumerated() {
      for (column, x) in plan.columns.origins.enumerated() {
        let part = image.region(x: x, y: y, width: plan.columns.tile, height: plan.rows.tile)
        let tensor = try part.tensor(
          for: input, model, width: part.width, height: part.height, resize: .stretch,
          resampling: nil
        ).tensor
        blend.add(
          try run(tensor).numbers, columns: plan.columns.weights(column, plan.scale),
          rows: plan.rows.weights(row, plan.scale), x: plan.scale.scaled(x),
          y: plan.scale.scaled(y))
      }
    }
    let whole = try output.image(
      blend.numbers, width: plan.scale.scaled(plan.width), height: plan.scale.scaled(plan.height))
    return whole.region(
      x: 0, y: 0, width: max(1, plan.scale.scaled(image.width)),
      height: max(1, plan.scale.scaled(image.height)))
  }

  private func run(
    _ tensor: Tensor
  ) throws(WeighbridgeError) -> (numbers: [Float], width: Int, height: Int) {
    let result = try session.run([NamedTensor(name: input.name, tensor: tensor)])
    guard let tensor = result.outputs.first(where: { $0.name == output.name })?.tensor else {
      throw .mismatch("there is no output \(output.name)")
    }
    return try output.pixels(tensor)
  }
}
