import Foundation
import HTTPTypes
import Hummingbird

/// The files in a body, one after the other, as the query says: `name=a.cfg&size=12&name=a.weights&size=34`.
package struct UploadedFiles {
  /// A file's name and its size in bytes.
  package struct File: Equatable, Sendable {
    package var name: String
    package var size: Int

    /// Names a file.
    package init(name: String, size: Int) { (self.name, self.size) = (name, size) }
  }

  private static let countLimit = 8

  /// The files, in order.
  package let files: [File]

  /// - Throws: ``StudioError`` with the status 400 when names and sizes do not make pairs, a name is none
  ///   for a file of the folder, or there are more than 8.
  package init(names: [String], sizes: [String], limit: UploadLimit) throws {
    guard names.count == sizes.count, 1...Self.countLimit ~= names.count else {
      throw StudioError(.badRequest, "Send 1 to \(Self.countLimit) files, each with name and size.")
    }
    var files: [File] = []
    for (name, size) in zip(names, sizes) {
      guard let size = Int(size), size >= 0 else {
        throw StudioError(.badRequest, "\(size) is not the size of a file.")
      }
      guard size <= limit.byteCount else { throw limit.tooLarge }
      let name = Self.fileName(name)
      guard !files.contains(where: { $0.name == name }) else {
        throw StudioError(.badRequest, "Two of the files are called \(name).")
      }
      files.append(File(name: name, size: size))
    }
    self.files = files
  }

  /// A name that stays in the folder: its last component, of letters, digits, points, dashes and
  /// underlines.
  package static func fileName(_ name: String) -> String {
    let last = name.split { $0 == "/" || $0 == "\\" }.last ?? ""
    let kept = last.unicodeScalars.suffix(100).map { scalar -> Character in
      let isKept = scalar.isASCII && scalar.properties.isAlphabetic || "0"..."9" ~= scalar
      return isKept || ".-_".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
    }
    let text = String(kept.drop { $0 == "." || $0 == "-" })
    return text.isEmpty ? "file" : text
  }

  /// Writes the body's files into a folder.
  ///
  /// - Throws: ``StudioError`` with the status 400 when there are fewer or more bytes than said.
  func write(from request: Request, into folder: String, _ limit: UploadLimit) async throws {
    var waiting = files[...]
    var output: FileHandle?
    var missing = 0
    func nextFile() throws {
      while missing == 0, let file = waiting.popFirst() {
        try output?.close()
        let path = "\(folder)/\(file.name)"
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
          throw StudioError(.internalServerError, "There is no room for \(file.name).")
        }
        (output, missing) = (try FileHandle(forWritingTo: URL(fileURLWithPath: path)), file.size)
      }
    }
    try nextFile()
    try await request.readBody(limit) { buffer in
      var bytes = buffer.readableBytesView[...]
      while !bytes.isEmpty {
        guard missing > 0 else { throw StudioError(.badRequest, "There is more than was said.") }
        try output?.write(contentsOf: Data(bytes.prefix(missing)))
        let count = min(missing, bytes.count)
        (bytes, missing) = (bytes.dropFirst(count), missing - count)
        try nextFile()
      }
    }
    try output?.close()
    guard missing == 0, waiting.isEmpty else {
      throw StudioError(.badRequest, "There is less than was said.")
    }
  }
}
