public import Bytes

extension ImageFormat {
  /// Determines the format of a file by its first bytes; `nil` when it is not a readable image.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` when the file cannot be opened.
  public init?(contentsOf path: String) throws(WeighbridgeError) {
    let file = try MappedFile(path: path)
    guard let format = file.withBytes(ImageFormat.init(content:)) else { return nil }
    self = format
  }

  /// Determines the format of a file's bytes by the first of them.
  package init?(content: RawSpan) {
    if FileSignature.isJPEG(content) {
      self = .jpeg
    } else if FileSignature.isPNG(content) {
      self = .png
    } else {
      return nil
    }
  }
}
