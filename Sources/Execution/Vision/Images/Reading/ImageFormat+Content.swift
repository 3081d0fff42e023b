public import Bytes

extension ImageFormat {
  /// The format of a file, by how it begins; `nil` when it is no image that can be read.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` when the file cannot be opened.
  public init?(contentsOf path: String) throws(WeighbridgeError) {
    let file = try MappedFile(path: path)
    let format = file.withBytes { bytes -> ImageFormat? in
      if FileSignature.isJPEG(bytes) { return .jpeg }
      return FileSignature.isPNG(bytes) ? .png : nil
    }
    guard let format else { return nil }
    self = format
  }
}
