package import Bytes
import ZipArchive

/// The parts of a file by which it is identified: its start and its end.
package struct FileSample: Sendable {
  /// The file's path as it was given.
  package let path: String
  /// The file's size in bytes.
  package let count: Int
  /// The first bytes, at most 4,096.
  package let start: [UInt8]
  /// The last bytes, at most 8.
  package let end: [UInt8]
  /// The names of the members of a zip archive; empty for other files.
  package let members: [String]
  /// The file's start as lowercase text, without a byte order mark and leading whitespace.
  package let text: String

  package init(_ store: ByteStore, path: String) {
    self.path = path
    count = store.count
    (start, end, members) = store.withBytes { bytes in
      (
        bytes.copied(0..<min(4096, bytes.byteCount)),
        bytes.copied(max(0, bytes.byteCount - 8)..<bytes.byteCount), ZipDirectory.names(bytes)
      )
    }
    text = Self.text(start)
  }

  private static func text(_ start: [UInt8]) -> String {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let body = start.dropFirst(start.starts(with: byteOrderMark) ? byteOrderMark.count : 0)
    let isWhitespace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return String(decoding: body.drop(while: isWhitespace), as: UTF8.self).lowercased()
  }

  /// Whether the file has these bytes at an offset.
  package func begins(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
    start.count >= offset + bytes.count && start[offset...].starts(with: bytes)
  }

  /// Whether the file has this string at an offset.
  package func begins(_ text: String, at offset: Int = 0) -> Bool {
    begins(Array(text.utf8), at: offset)
  }

  /// Whether the file's start contains this string.
  package func contains(_ text: String) -> Bool {
    let pattern = Array(text.utf8)
    guard start.count >= pattern.count else { return false }
    return (0...start.count - pattern.count).contains { start[$0...].starts(with: pattern) }
  }

  /// Whether the file's start is ASCII text.
  package var isText: Bool {
    !start.isEmpty
      && start.allSatisfy { $0 >= 0x20 && $0 < 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
  }
}
