/// Rows of pixels of one or three bytes.
struct Raster {
  let size: PixelSize
  /// The number of bytes per pixel.
  let componentCount: Int
  /// The pixels as `[height, width, component]`.
  let bytes: [UInt8]

  /// Creates a raster of an image's red, green and blue, or of its brightness like Pillow's
  /// `convert("L")`: (19595 red + 38470 green + 7471 blue) / 65536, rounded (ITU-R BT.601).
  init(_ image: Image, isGray: Bool) {
    size = image.size
    componentCount = isGray ? 1 : 3
    if !isGray {
      bytes = image.pixels
      return
    }
    let pixels = image.pixels.span
    bytes = (0..<image.width * image.height).map { index in
      let red = 19595 * UInt32(pixels[index * 3])
      let green = 38470 * UInt32(pixels[index * 3 + 1])
      let blue = 7471 * UInt32(pixels[index * 3 + 2])
      return UInt8(truncatingIfNeeded: (red + green + blue + 0x8000) >> 16)
    }
  }

  /// Creates a raster from bytes, whose number must match the size.
  init(_ size: PixelSize, componentCount: Int, bytes: [UInt8]) {
    self.size = size
    self.componentCount = componentCount
    self.bytes = bytes
  }

  /// The number of pixels in a row.
  var width: Int { size.width }
  /// The number of rows.
  var height: Int { size.height }
}
