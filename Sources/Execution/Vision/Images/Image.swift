/// An image in memory: rows of red, green and blue bytes, without transparency.
///
/// Copies share their pixels. The first pixel is the upper left one of the image as displayed: the
/// orientation that a camera recorded is applied when a file is read.
public struct Image: Hashable, Sendable {
  /// The number of pixels in a row, at least 1.
  public let width: Int
  /// The number of rows, at least 1.
  public let height: Int
  /// The pixels as `[height, width, component]`: red, green and blue, 0...255 each.
  public let pixels: [UInt8]

  /// Creates an image from pixels. Traps when there are not `height * width * 3` bytes, or none.
  public init(width: Int, height: Int, pixels: [UInt8]) {
    precondition(width > 0 && height > 0 && pixels.count == height * width * 3)
    self.width = width
    self.height = height
    self.pixels = pixels
  }
}

/// Limits for image files, checked in the header before memory is allocated.
public struct ImageLimits: Hashable, Sendable {
  /// The most pixels, width times height.
  public var pixelCount: Int
  /// The fewest pixels along each axis.
  public var side: Int

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - pixelCount: 100 million unless given; decoding takes 3 bytes for each, and up to 8 more
  ///     while a progressive JPEG is read.
  ///   - side: 2 unless given: a single row or column of pixels shows nothing.
  public init(pixelCount: Int = 100_000_000, side: Int = 2) {
    self.pixelCount = pixelCount
    self.side = side
  }

  /// The memory that a decoder may use in addition to the pixels: 2 bytes for each coefficient of 4
  /// components, and 16 MB for everything else.
  var decoderByteCount: Int {
    min(max(pixelCount, 0), Int.max >> 8) * 8 + (16 << 20)
  }
}
