import Foundation
import Testing

/// The project's files.
enum Project {
  /// The root folder, without a trailing slash.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path(
      percentEncoded: false
    )
    .trimmingSlash

  /// The sample detector's folder.
  static let detector = "\(folder)/Samples/Models/shape-detector"

  /// The text of a file, by its path from the root.
  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
  }
}

extension String {
  fileprivate var trimmingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}

/// Calls `body` with a temporary path, which is removed afterwards.
func withTemporaryFile<Result>(_ name: String, _ body: (String) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder.appending(path: name).path(percentEncoded: false))
}

/// The built program.
enum Program {
  /// The path: it is built next to the test bundle.
  static var path: String {
    URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments[0])
      .deletingLastPathComponent().appending(path: "weighbridge").path(percentEncoded: false)
  }

  /// Runs it and returns its standard output and exit status.
  static func run(_ arguments: String...) throws -> (output: String, status: Int32) {
    try run(arguments)
  }

  /// Runs it, or another program, and returns its standard output and exit status.
  static func run(
    _ arguments: [String], of program: String = path
  ) throws -> (output: String, status: Int32) {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: bytes, as: UTF8.self), process.terminationStatus)
  }
}
