/// A number of pixels along each axis.
struct PixelSize: Hashable, Sendable {
  var width: Int
  var height: Int

  /// The same with rows and columns exchanged.
  var turned: PixelSize { PixelSize(width: height, height: width) }
}

extension Image {
  var size: PixelSize { PixelSize(width: width, height: height) }
}
