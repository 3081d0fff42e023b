import Foundation

/// The folders that tests read from.
package enum Places {
  /// The project's root, without a slash at its end.
  package static let project: String =
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  /// A file or folder of `Samples`.
  package static func sample(_ path: String) -> String { "\(project)/Samples/\(path)" }
}

/// The reference files that the real frameworks made, when they are there.
package enum Fixtures {
  /// Why a test that needs them does not run.
  package static let absence =
    "needs the reference files (WEIGHBRIDGE_FIXTURES or ../shared/fixtures)"

  /// The folder, without a slash at its end; `nil` when it is not there.
  package static let folder: String? = {
    let given = ProcessInfo.processInfo.environment["WEIGHBRIDGE_FIXTURES"]
    let beside = "/" + Places.project.split(separator: "/").dropLast().joined(separator: "/")
    let folder = given ?? "\(beside)/shared/fixtures"
    return FileManager.default.isReadableFile(atPath: folder) ? folder : nil
  }()

  /// Whether they are there.
  package static var areThere: Bool { folder != nil }

  /// A file among them. (Only tests that run when they are there call it.)
  package static func file(_ path: String) -> String { "\(folder ?? "")/\(path)" }

  /// The folders inside a folder, sorted; none when the reference files are not there.
  package static func folders(in path: String) -> [String] {
    guard folder != nil else { return [] }
    return Files.names(in: file(path)).filter { Files.isFolder("\(file(path))/\($0)") }
  }
}
