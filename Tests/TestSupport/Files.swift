package import Foundation

/// Whole files and folders.
package enum Files {
  /// The bytes of a file.
  package static func read(_ path: String) throws -> Data {
    try Data(contentsOf: URL(filePath: path))
  }

  /// Writes a file.
  package static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  /// Makes a folder, with those around it.
  package static func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// The names in a folder, sorted; none when it is not there.
  package static func names(in path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// Whether a folder stands there.
  package static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// The size of a file in bytes.
  package static func size(_ path: String) throws -> Int {
    try read(path).count
  }
}

/// A folder that is removed with all that is in it when the value goes.
package final class TemporaryFolder: Sendable {
  /// The folder's path, without a slash at its end.
  package let path: String

  /// Makes an empty folder.
  package init() throws {
    path = NSTemporaryDirectory().trimmingSuffix("/") + "/weighbridge-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    // A folder that a test made unwritable can be removed only once it is writable again.
    try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the folder.
  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names of all that is in the folder, sorted.
  package var names: [String] { Files.names(in: path) }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: Character) -> String {
    hasSuffix(String(suffix)) ? String(dropLast()) : self
  }
}
