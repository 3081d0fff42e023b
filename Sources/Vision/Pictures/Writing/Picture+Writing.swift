public import Bytes
internal import CPictures

extension Picture {
  /// Writes a file, which appears under its name only when it is complete.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - format: The format; by the file name's extension unless given.
  ///   - replacing: Whether a file of that name may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, also when neither the name nor the caller
  ///   says the format; what stood there before is then untouched.
  public func write(
    to path: String, as format: PictureFormat? = nil, replacing: Bool = true
  ) throws(WeighbridgeError) {
    guard let format = format ?? PictureFormat(fileName: path) else {
      throw WeighbridgeError(
        .outputFailed, "cannot be written: its name ends in neither .png nor .jpg"
      ).at(file: path)
    }
    let bytes = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try encoded(as: format)
    }
    var file = try AtomicFile(path: path)
    try file.append(bytes.span.bytes)
    try file.commit(replacing: replacing)
  }

  /// The bytes of a file: PNG without loss, JPEG of quality 95 without chroma subsampling.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` when the format cannot hold the picture.
  public func encoded(as format: PictureFormat) throws(WeighbridgeError) -> [UInt8] {
    let size = picture_size(width: width, height: height)
    var file = picture_file()
    var failure = picture_failure()
    defer { picture_free(&file) }
    // The library reads `height * width * 3` bytes, which is what there are.
    let done =
      switch format {
      case .jpeg: picture_jpeg_encode(pixels, size, 95, &file, &failure)
      case .png: picture_png_encode(pixels, size, &file, &failure)
      }
    guard done else {
      throw WeighbridgeError(.outputFailed, "cannot be written: \(failure.text)")
    }
    // The encoder's memory, copied before it is freed.
    return Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}
