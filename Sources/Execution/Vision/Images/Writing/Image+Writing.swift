public import Bytes
internal import CImages

extension Image {
  /// Writes a file, which appears under its name only when it is complete.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - format: The format; determined from the file name's extension unless given.
  ///   - replacing: Whether an existing file may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, also when neither the name nor the caller
  ///   states the format; any existing file is then untouched.
  public func write(
    to path: String, as format: ImageFormat? = nil, replacing: Bool = true
  ) throws(WeighbridgeError) {
    guard let format = format ?? ImageFormat(fileName: path) else {
      throw .outputFailed("cannot be written: its name ends in neither .png nor .jpg")
        .at(file: path)
    }
    let bytes = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try encoded(as: format)
    }
    var file = try AtomicFile(path: path)
    try unsafe file.append(bytes.span.bytes)
    try file.commit(replacing: replacing)
  }

  /// Returns the bytes of a file: lossless PNG, or JPEG of quality 95 without chroma subsampling.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` when the format cannot store the image.
  public func encoded(as format: ImageFormat) throws(WeighbridgeError) -> [UInt8] {
    let size = image_size(width: width, height: height)
    var file = unsafe image_file()
    var failure = image_failure()
    defer { unsafe image_free(&file) }
    // The library reads `height * width * 3` bytes, which is the size of `pixels`.
    let succeeded =
      switch format {
      case .jpeg: unsafe image_jpeg_encode(pixels, size, 95, &file, &failure)
      case .png: unsafe image_png_encode(pixels, size, &file, &failure)
      }
    guard succeeded else { throw .outputFailed("cannot be written: \(failure.text)") }
    // The memory is the encoder's, copied before it is freed.
    return unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}
