import GraphIR

/// How an image is scaled, cropped and placed in a model's input, in pixels.
struct InputGeometry {
  /// The size to which the whole image is scaled; larger than the input when it is cropped.
  let scaled: PixelSize
  /// The columns and rows of the scaled image that are in the input.
  let window: PixelWindow
  /// The position of the window's upper left pixel in the input.
  let origin: (x: Int, y: Int)
  /// The placement of the whole image in the input.
  let placement: ImagePlacement

  /// - Parameters:
  ///   - image: The image's size.
  ///   - input: The size of the model's input.
  init(_ policy: ImageInput.ResizePolicy, image: PixelSize, input: PixelSize) {
    switch policy {
    case .stretch: scaled = input
    case .letterbox: scaled = Self.fitted(image, into: input)
    case .centerCrop: scaled = Self.covering(image, input)
    }
    let margins = (input.width - scaled.width, input.height - scaled.height)
    origin = (max(0, margins.0) / 2, max(0, margins.1) / 2)
    let cut = (max(0, -margins.0) / 2, max(0, -margins.1) / 2)
    window = PixelWindow(
      columns: cut.0..<cut.0 + min(scaled.width, input.width),
      rows: cut.1..<cut.1 + min(scaled.height, input.height))
    // Here darknet assumes bars of equal width, even if their total is an odd number of pixels.
    let offset =
      policy == .centerCrop
      ? (-Double(cut.0), -Double(cut.1))
      : (Double(margins.0) / 2, Double(margins.1) / 2)
    let (width, height) = (Double(input.width), Double(input.height))
    placement = ImagePlacement(
      scale: (Double(scaled.width) / width, Double(scaled.height) / height),
      offset: (offset.0 / width, offset.1 / height))
  }

  /// Returns the largest size with `size`'s proportions inside `frame`, rounded down like darknet.
  private static func fitted(_ size: PixelSize, into frame: PixelSize) -> PixelSize {
    let (width, height) = (Float(frame.width), Float(frame.height))
    return width / Float(size.width) < height / Float(size.height)
      ? PixelSize(width: frame.width, height: max(1, size.height * frame.width / size.width))
      : PixelSize(width: max(1, size.width * frame.height / size.height), height: frame.height)
  }

  /// Returns the smallest size with `size`'s proportions that covers `frame`, rounded down; one of
  /// its sides is the frame's.
  private static func covering(_ size: PixelSize, _ frame: PixelSize) -> PixelSize {
    frame.width * size.height >= frame.height * size.width
      ? PixelSize(width: frame.width, height: size.height * frame.width / size.width)
      : PixelSize(width: size.width * frame.height / size.height, height: frame.height)
  }
}

/// A part of an image.
struct PixelWindow {
  let columns, rows: Range<Int>

  var size: PixelSize { PixelSize(width: columns.count, height: rows.count) }

  /// - Parameter size: The size of the image, all of which is included.
  init(all size: PixelSize) { self.init(columns: 0..<size.width, rows: 0..<size.height) }

  init(columns: Range<Int>, rows: Range<Int>) { (self.columns, self.rows) = (columns, rows) }
}
