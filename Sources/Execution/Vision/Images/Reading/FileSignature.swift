import Bytes

/// The first bytes that identify a type of file.
struct FileSignature {
  /// The type of file, for messages.
  let title: String
  private let offset: Int
  private let bytes: [UInt8]

  private init(_ title: String, _ text: String, at offset: Int = 0) {
    self.init(title, Array(text.utf8), at: offset)
  }

  private init(_ title: String, _ bytes: [UInt8], at offset: Int = 0) {
    self.title = title
    self.offset = offset
    self.bytes = bytes
  }

  private func matches(_ file: RawSpan) -> Bool {
    guard file.byteCount >= offset + bytes.count else { return false }
    return bytes.indices.allSatisfy { file[byte: offset + $0] == bytes[$0] }
  }

  /// Whether a file begins with the signature of JPEG.
  static func isJPEG(_ file: RawSpan) -> Bool { jpeg.matches(file) }
  /// Whether a file begins with the signature of PNG.
  static func isPNG(_ file: RawSpan) -> Bool { png.matches(file) }

  private static let jpeg = FileSignature("a JPEG image", [0xFF, 0xD8, 0xFF])
  private static let png = FileSignature(
    "a PNG image", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

  /// Returns the type of a file that is neither JPEG nor PNG, for messages.
  static func title(of file: RawSpan) -> String {
    if file.byteCount == 0 { return "an empty file" }
    if let other = others.first(where: { $0.matches(file) }) { return other.title }
    return isText(file) ? "a text file" : "not a known image format"
  }

  private static let others = [
    FileSignature("a GIF image", "GIF8"),
    FileSignature("a WebP image", "WEBP", at: 8),
    FileSignature("an AVIF image", "ftypavif", at: 4),
    FileSignature("a HEIF image", "ftypheic", at: 4),
    FileSignature("a HEIF image", "ftypheix", at: 4),
    FileSignature("a HEIF image", "ftypmif1", at: 4),
    FileSignature("an MPEG-4 file", "ftyp", at: 4),
    FileSignature("a TIFF image", [0x49, 0x49, 0x2A, 0x00]),
    FileSignature("a TIFF image", [0x4D, 0x4D, 0x00, 0x2A]),
    FileSignature("a JPEG 2000 image", "jP  ", at: 4),
    FileSignature("a JPEG 2000 image", [0xFF, 0x4F, 0xFF, 0x51]),
    FileSignature("a JPEG XL image", [0xFF, 0x0A]),
    FileSignature("a JPEG XL image", "JXL ", at: 4),
    FileSignature("a Photoshop image", "8BPS"),
    FileSignature("an icon", [0x00, 0x00, 0x01, 0x00]),
    FileSignature("a BMP image", "BM"),
    FileSignature("a PDF document", "%PDF"),
    FileSignature("an SVG drawing", "<svg"),
    FileSignature("an HDF5 file", [0x89, 0x48, 0x44, 0x46]),
    FileSignature("a ZIP archive", "PK"),
  ]

  /// Whether the first bytes are printable ASCII, UTF-8 or whitespace.
  private static func isText(_ file: RawSpan) -> Bool {
    let start = file.copied(0..<min(file.byteCount, 512))
    return start.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
      && start.contains { $0 < 0x80 }
  }
}
