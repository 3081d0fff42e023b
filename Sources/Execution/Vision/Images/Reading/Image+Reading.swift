public import Bytes

extension Image {
  /// Reads a JPEG or PNG file; the format is determined from the content.
  ///
  /// JPEG: baseline and progressive; gray, color, and CMYK stored inverted as Adobe does. PNG: all
  /// kinds; the upper byte of 16-bit samples, and the stored colors of transparent pixels, like
  /// darknet and Pillow's `convert("RGB")`. Color profiles and gamma are not applied. The Exif
  /// orientation is.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limits: The largest and smallest size to accept.
  /// - Throws: ``WeighbridgeError/Code/missing``; ``WeighbridgeError/Code/unsupported`` for other
  ///   formats and images below the limits' side; ``WeighbridgeError/Code/malformed`` with a
  ///   byte offset for damaged and truncated files; ``WeighbridgeError/Code/limitExceeded`` for
  ///   images above the limits, before they are decoded.
  public init(
    contentsOf path: String, limits: ImageLimits = ImageLimits()
  ) throws(WeighbridgeError) {
    self = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      let file = try MappedFile(path: path)
      return try file.withBytes { (bytes) throws(WeighbridgeError) in
        try Image(file: bytes, limits: limits)
      }
    }
  }

  /// Reads a JPEG or PNG file in memory.
  ///
  /// - Throws: As reading from a path, without the file's name.
  public init(
    file: [UInt8], limits: ImageLimits = ImageLimits()
  ) throws(WeighbridgeError) {
    try unsafe self.init(file: file.span.bytes, limits: limits)
  }

  /// Reads a JPEG or PNG file from its bytes.
  package init(file: RawSpan, limits: ImageLimits) throws(WeighbridgeError) {
    let codec: ImageCodec
    let exif: Range<Int>?
    if FileSignature.isJPEG(file) {
      (codec, exif) = (.jpeg, ExifData.inJPEG(file))
    } else if FileSignature.isPNG(file) {
      (codec, exif) = (.png, ExifData.inPNG(file))
    } else {
      throw .unsupported("is \(FileSignature.title(of: file)); JPEG and PNG images can be read")
    }
    let size = try codec.size(of: file)
    try limits.check(size)
    let pixels = try codec.pixels(of: file, size: size, limits: limits)
    let stored = Image(width: size.width, height: size.height, pixels: pixels)
    self = stored.upright(
      from: exif.flatMap { ExifData.orientation(file, $0) } ?? .upright)
  }
}

extension ImageLimits {
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` for too many pixels,
  ///   ``WeighbridgeError/Code/unsupported`` for too few.
  func check(_ size: PixelSize) throws(WeighbridgeError) {
    let (count, overflow) = size.width.multipliedReportingOverflow(by: size.height)
    guard !overflow, count <= pixelCount else {
      throw .limitExceeded(
        "is an image of \(size.width) x \(size.height) pixels, over the limit of \(pixelCount)")
    }
    guard min(size.width, size.height) >= max(1, side) else {
      throw .unsupported(
        "is an image of \(size.width) x \(size.height) pixels; at least \(max(1, side)) along "
          + "each axis are needed")
    }
  }
}
