/// An image file format that can be read and written.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
  /// Baseline or progressive JPEG.
  case jpeg
  /// Portable Network Graphics.
  case png

  /// Creates the format of a file name's extension: `.png`, `.jpg` or `.jpeg` in any case.
  public init?(fileName: String) {
    let name = fileName.lowercased()
    if name.hasSuffix(".png") {
      self = .png
    } else if name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") {
      self = .jpeg
    } else {
      return nil
    }
  }
}
