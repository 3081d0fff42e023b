extension Image {
  /// Returns the image in another size, with each axis scaled independently by the triangle filter
  /// (Pillow's `BILINEAR`).
  ///
  /// - Parameters:
  ///   - width: The new width in pixels, at least 1.
  ///   - height: The new height in pixels, at least 1.
  package func resized(width: Int, height: Int) -> Image {
    let size = PixelSize(width: width, height: height)
    let raster = Raster(self, isGray: false)
      .resampled(to: size, PixelWindow(all: size), by: .pillowBilinear)
    return Image(width: width, height: height, pixels: raster.bytes)
  }
}
