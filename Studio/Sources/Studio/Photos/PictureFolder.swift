import Foundation
import HTTPTypes
import Hummingbird

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder whose pictures the pages show.
package struct PictureFolder: Sendable {
  /// The folder, without symbolic links and without a slash at its end.
  package let path: String

  /// - Throws: ``StudioError`` when it is no folder.
  package init(_ path: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue,
      let resolved = realpath(path, nil)
    else { throw StudioError(.notFound, "\(path) is not a folder.") }
    defer { free(resolved) }
    self.path = String(cString: resolved)
  }

  /// The path of a file inside, seen from the folder; `nil` for one that is not inside.
  package func name(of file: String) -> String? {
    file.hasPrefix("\(path)/") ? String(file.dropFirst(path.count + 1)) : nil
  }

  /// The file of a name, which must not lead out of the folder.
  package func file(_ name: String) -> String? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let isInside = !name.contains("\0") && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") }
    return isInside ? "\(path)/\(name)" : nil
  }

  /// A picture's bytes as they are, in parts.
  ///
  /// - Throws: ``StudioError`` with the status 404 when there is no such file or it is no picture: it may
  ///   have gone since it was found.
  func response(_ name: String) throws -> Response {
    guard let file = file(name), let type = Self.type(of: file),
      let handle = try? FileHandle(forReadingFrom: URL(fileURLWithPath: file)),
      let count = try? handle.seekToEnd(), (try? handle.seek(toOffset: 0)) != nil
    else { throw StudioError(.notFound, "The picture \(name) is not there any more.") }
    return Response(
      status: .ok, headers: [.contentType: type],
      body: ResponseBody(contentLength: Int(count)) { writer in
        var missing = Int(count)
        while missing > 0 {
          guard let part = try handle.read(upToCount: min(missing, 65_536)), !part.isEmpty else {
            throw StudioError(.internalServerError, "The picture became shorter.")
          }
          try await writer.write(ByteBuffer(bytes: part))
          missing -= part.count
        }
        try await writer.finish(nil)
      })
  }

  /// The type of a regular file by its first bytes; `nil` when it is no picture that can be read.
  private static func type(of file: String) -> String? {
    var status = stat()
    guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let handle = try? FileHandle(forReadingFrom: URL(fileURLWithPath: file)),
      let start = try? handle.read(upToCount: 4)
    else { return nil }
    if start.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    return start.starts(with: [0x89, 0x50, 0x4E, 0x47]) ? "image/png" : nil
  }
}
