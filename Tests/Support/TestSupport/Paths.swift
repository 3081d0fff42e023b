import Foundation

/// The paths of the project and its samples.
package enum Paths {
  /// The project's root, without a trailing slash.
  package static let project: String =
    "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

  /// Returns the path of a file or folder in `Samples`.
  package static func sample(_ path: String) -> String { "\(project)/Samples/\(path)" }
}

/// The reference files from the original frameworks, if available.
package enum Fixtures {
  /// The reason why tests that need them are skipped.
  package static let skipReason =
    "needs the reference files (WEIGHBRIDGE_FIXTURES or ../shared/fixtures)"

  /// The folder, without a trailing slash; `nil` when it does not exist.
  package static let folder: String? = {
    let given = ProcessInfo.processInfo.environment["WEIGHBRIDGE_FIXTURES"]
    let parent = "/" + Paths.project.split(separator: "/").dropLast().joined(separator: "/")
    let folder = given ?? "\(parent)/shared/fixtures"
    return FileManager.default.isReadableFile(atPath: folder) ? folder : nil
  }()

  /// Whether the reference files are available.
  package static var areAvailable: Bool { folder != nil }

  /// Returns the path of a reference file. (Only tests that run when they are available call it.)
  package static func file(_ path: String) -> String { "\(folder ?? "")/\(path)" }

  /// Returns the folders inside a folder, sorted; none when the reference files are not available.
  package static func folders(in path: String) -> [String] {
    guard folder != nil else { return [] }
    return Files.names(in: file(path)).filter { Files.isFolder("\(file(path))/\($0)") }
  }
}
