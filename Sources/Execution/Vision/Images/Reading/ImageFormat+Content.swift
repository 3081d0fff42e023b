public import Bytes

extension ImageFormat {
  /// The format of a file, by how it begins; `nil` when it is no image that can be read.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` when the file cannot be opened.
  public init?(contentsOf path: String) throws(WeighbridgeError) {
    let file = try MappedFile(path: path)
    guard let format = file.withBytes(ImageFormat.init(content:)) else { return nil }
    self = format
  }

  /// The format of a file's bytes, by how they begin.
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
