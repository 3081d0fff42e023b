import Foundation
import HTTPTypes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder of this process that nobody else can read, for what has to be a file for a moment.
package struct WorkFolder: Sendable {
  private static let prefix = "weighbridge-studio-"

  /// The folder.
  package let path: String

  /// Makes the folder among the system's temporary files, and removes those of processes that were
  /// killed.
  package init() throws {
    let parent = FileManager.default.temporaryDirectory.path
    Self.removeLeftovers(in: parent)
    var template = Array("\(parent)/\(Self.prefix)\(getpid())-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw StudioError(.internalServerError, "There can be no folder in \(parent).")
    }
    path = String(cString: made)
  }

  /// Removes the folder with all that is in it.
  ///
  /// A request that ends meanwhile removes a folder of its own inside, and what is gone before its turn comes makes the
  /// whole removal fail. Then it begins again.
  package func remove() {
    for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// Makes a folder inside for as long as `body` runs.
  func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = "\(path)/\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
  }

  private static func removeLeftovers(in parent: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    where name.hasPrefix(prefix) {
      let owner = name.dropFirst(prefix.count).prefix { $0 != "-" }
      guard let process = pid_t(owner), kill(process, 0) != 0, errno == ESRCH else { continue }
      try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
    }
  }
}
