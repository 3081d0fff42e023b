import Foundation
import TestSupport
import Testing

/// What the program did.
struct Outcome: Sendable {
  let status: Int32
  /// Whether a signal ended it.
  let wasKilled: Bool
  let output: String
  let messages: String
}

/// The built program, which stands beside the test bundle in the build folder.
enum Program {
  /// The program's path: `WEIGHBRIDGE_PROGRAM`, or found upwards from the test bundle.
  static let path: String? = {
    if let given = ProcessInfo.processInfo.environment["WEIGHBRIDGE_PROGRAM"] { return given }
    let arguments = CommandLine.arguments
    let option = arguments.firstIndex(of: "--test-bundle-path").map { $0 + 1 }
    var folder = URL(
      filePath: arguments[option.flatMap { arguments.indices.contains($0) ? $0 : nil } ?? 0])
    for _ in 0..<5 {
      folder.deleteLastPathComponent()
      let candidate = folder.appending(path: "weighbridge").path
      if FileManager.default.isExecutableFile(atPath: candidate), !Files.isFolder(candidate) {
        return candidate
      }
    }
    return nil
  }()

  /// Runs the program and waits for its end.
  static func run(_ arguments: String..., in folder: String? = nil) throws -> Outcome {
    try run(arguments, in: folder)
  }

  /// Runs the program and waits for its end.
  static func run(_ arguments: [String], in folder: String? = nil) throws -> Outcome {
    try start(arguments, in: folder).wait()
  }

  /// Runs a shell's command line with the program as `$PROGRAM` and further words as `$1`, ...
  static func shell(_ script: String, _ words: String...) throws -> Outcome {
    try Running(
      "/bin/sh", ["-c", script, "sh"] + words, in: nil, environment: ["PROGRAM": program()]
    ).wait()
  }

  /// Begins to run the program.
  ///
  /// - Parameters:
  ///   - environment: Variables besides those of the tests.
  ///   - output: Takes the results in place of the outcome.
  ///   - messages: Takes the messages; what nobody has read at the end is the outcome's.
  static func start(
    _ arguments: [String], in folder: String? = nil, environment: [String: String] = [:],
    output: Pipe? = nil, messages: Pipe? = nil
  ) throws -> Running {
    try Running(
      program(), arguments, in: folder, environment: environment, output: output,
      messages: messages)
  }

  private static func program() throws -> String {
    try #require(path, "the program is not beside the tests; set WEIGHBRIDGE_PROGRAM")
  }
}

/// A process that may still be running.
final class Running {
  private let process = Process()
  private let folder: TemporaryFolder
  private let messages: Pipe?
  private let ended = DispatchSemaphore(value: 0)

  init(
    _ program: String, _ arguments: [String], in workingFolder: String?,
    environment: [String: String] = [:], output: Pipe? = nil, messages: Pipe? = nil
  ) throws {
    self.messages = messages
    folder = try TemporaryFolder()
    for name in ["output", "messages"] { try Files.write([], to: folder.file(name)) }
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    if let workingFolder { process.currentDirectoryURL = URL(filePath: workingFolder) }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let files = try ["output", "messages"].map { try Self.file(folder.file($0)) }
    process.standardOutput = output ?? files[0]
    process.standardError = messages ?? files[1]
    process.terminationHandler = { [ended] _ in ended.signal() }
    // Foundation keeps them open otherwise. With more than 1,000 open files its `run` reads past the
    // end of the list of them (swift-corelibs-foundation, Swift 6.3) and crashes now and then.
    defer { for file in files { try? file.close() } }
    try process.run()
  }

  private static func file(_ path: String) throws -> FileHandle {
    try FileHandle(forWritingTo: URL(filePath: path))
  }

  /// Sends what Ctrl-C sends.
  func interrupt() { process.interrupt() }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits for the end, as long as it takes.
  func wait() throws -> Outcome {
    ended.wait()
    let rest =
      try messages?.fileHandleForReading.readToEnd() ?? Files.read(folder.file("messages"))
    return Outcome(
      status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
      output: String(decoding: try Files.read(folder.file("output")), as: UTF8.self),
      messages: String(decoding: rest, as: UTF8.self))
  }
}

extension Outcome {
  /// Expects a status and messages with these parts, and no end by a signal.
  func expect(
    _ status: Int32, _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(!wasKilled, "ended by signal \(self.status)", sourceLocation: sourceLocation)
    #expect(self.status == status, "\(output)\(messages)", sourceLocation: sourceLocation)
    for part in parts {
      #expect(messages.contains(part), "\(messages)", sourceLocation: sourceLocation)
    }
  }
}
