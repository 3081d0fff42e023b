import Foundation
import TestSupport
import Testing

/// The result of running the program.
struct Outcome: Sendable {
  let status: Int32
  /// Whether a signal terminated the program.
  let wasKilled: Bool
  let output: String
  let messages: String
}

/// The built program, which is next to the test bundle in the build folder.
enum Program {
  /// The program's path: `WEIGHBRIDGE_PROGRAM`, or found in the parent folders of the test bundle.
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

  /// Runs the program and waits until it exits.
  static func run(_ arguments: String..., in folder: String? = nil) throws -> Outcome {
    try run(arguments, in: folder)
  }

  /// Runs the program and waits until it exits.
  static func run(_ arguments: [String], in folder: String? = nil) throws -> Outcome {
    try start(arguments, in: folder).wait()
  }

  /// Runs a shell script with the program as `$PROGRAM` and the arguments as `$1`, ...
  static func shell(_ script: String, _ arguments: String...) throws -> Outcome {
    try Running(
      "/bin/sh", ["-c", script, "sh"] + arguments, in: nil, environment: ["PROGRAM": program()]
    ).wait()
  }

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - environment: Variables in addition to those of the test process.
  ///   - output: Receives standard output instead of the outcome.
  ///   - messages: Receives standard error; the outcome has what is unread at the end.
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

  /// Sends the signal of Ctrl-C.
  func interrupt() { process.interrupt() }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits until the process exits, without a timeout.
  func wait() throws -> Outcome {
    ended.wait()
    let messages =
      try messages?.fileHandleForReading.readToEnd() ?? Files.read(folder.file("messages"))
    return Outcome(
      status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
      output: String(decoding: try Files.read(folder.file("output")), as: UTF8.self),
      messages: String(decoding: messages, as: UTF8.self))
  }
}

extension Outcome {
  /// Expects an exit status and messages that contain these parts, and no termination by a signal.
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
