/// A size in pixels.
struct PixelSize: Hashable, Sendable {
  var width: Int
  var height: Int

  /// The size with width and height swapped.
  var transposed: PixelSize { PixelSize(width: height, height: width) }
}

extension Image {
  var size: PixelSize { PixelSize(width: width, height: height) }
}
