import GraphIR

/// Which part of an image goes where in a model's input, in pixels.
struct InputGeometry {
  /// The part of the image that is used, around its middle.
  let part: PixelSize
  /// The size it is brought to.
  let scaled: PixelSize
  /// Where its upper left pixel goes.
  let origin: (x: Int, y: Int)
  /// Where the whole image lies in the input.
  let placement: ImagePlacement

  /// - Parameters:
  ///   - image: The image's size.
  ///   - input: The size of the model's input.
  init(
    _ policy: ImageInput.ResizePolicy, image: PixelSize,
    input: PixelSize
  ) {
    switch policy {
    case .stretch:
      (part, scaled, origin, placement) = (image, input, (0, 0), .filling)
    case .letterbox:
      (part, scaled) = (image, Self.fitted(image, into: input))
      let bars = (input.width - scaled.width, input.height - scaled.height)
      origin = (bars.0 / 2, bars.1 / 2)
      // darknet takes bars of equal width here, even where pixels have to be whole.
      placement = ImagePlacement(
        scale: (
          Double(scaled.width) / Double(input.width), Double(scaled.height) / Double(input.height)
        ),
        offset: (
          Double(bars.0) / 2 / Double(input.width), Double(bars.1) / 2 / Double(input.height)
        ))
    case .centerCrop:
      (part, scaled, origin) = (Self.fitted(input, into: image), input, (0, 0))
      let margin = ((image.width - part.width) / 2, (image.height - part.height) / 2)
      placement = ImagePlacement(
        scale: (
          Double(image.width) / Double(part.width), Double(image.height) / Double(part.height)
        ),
        offset: (
          -Double(margin.0) / Double(part.width), -Double(margin.1) / Double(part.height)
        ))
    }
  }

  /// The largest size of `size`'s proportions inside `frame`, as darknet rounds it: down.
  private static func fitted(
    _ size: PixelSize, into frame: PixelSize
  ) -> PixelSize {
    let (width, height) = (Float(frame.width), Float(frame.height))
    return width / Float(size.width) < height / Float(size.height)
      ? PixelSize(width: frame.width, height: max(1, size.height * frame.width / size.width))
      : PixelSize(width: max(1, size.width * frame.height / size.height), height: frame.height)
  }
}
