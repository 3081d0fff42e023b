package import Foundation

/// Functions for whole files and folders.
package enum Files {
  /// Returns the bytes of a file.
  package static func read(_ path: String) throws -> Data {
    try Data(contentsOf: URL(filePath: path))
  }

  /// Writes a file.
  package static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  /// Removes a file.
  package static func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: path)
  }

  /// Creates a symbolic link to a file.
  package static func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  /// Creates a folder, and its parent folders if necessary.
  package static func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Returns the names in a folder, sorted; none when it does not exist.
  package static func names(in path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// Whether the path is a folder.
  package static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// Returns the size of a file in bytes.
  package static func size(_ path: String) throws -> Int {
    try read(path).count
  }
}

/// A folder that is removed with its contents when the object is destroyed.
package final class TemporaryFolder: Sendable {
  /// The folder's path, without a trailing slash.
  package let path: String

  /// Creates an empty folder.
  package init() throws {
    path = NSTemporaryDirectory().trimmingSuffix("/") + "/weighbridge-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    // A folder that a test made unwritable can be removed only once it is writable again.
    try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Returns the path of a file in the folder.
  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names of everything in the folder, sorted.
  package var names: [String] { Files.names(in: path) }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: Character) -> String {
    hasSuffix(String(suffix)) ? String(dropLast()) : self
  }
}
