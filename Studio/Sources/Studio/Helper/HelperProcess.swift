import Foundation
import HTTPTypes
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs this program once more, for work on files that may be hostile or may change while they are read.
///
/// A file that breaks a reader, takes all memory or is cut short while it is mapped then ends the helper
/// and not the studio. A helper ends itself when the studio does.
package final class HelperProcess: Sendable {
  /// What a helper may take.
  package struct Limits: Sendable {
    /// The most memory that is no part of a file, in bytes.
    package var memory: Int
    /// The longest time in seconds; `nil` for any.
    package var seconds: Int?
    /// The most bytes that it may answer.
    package var outputCount: Int

    /// Makes limits.
    package init(memory: Int, seconds: Int?, outputCount: Int = 64 << 20) {
      (self.memory, self.seconds, self.outputCount) = (memory, seconds, outputCount)
    }
  }

  private struct State {
    var running: [Int32] = []
    var isStopped = false
  }

  private let executable: URL
  private let state = Mutex(State())
  private let ends = DispatchGroup()

  /// - Parameter executable: The program, which calls ``HelperMain/run(_:)`` for what it is given.
  package init(executable: String) { self.executable = URL(fileURLWithPath: executable) }

  /// Runs a helper and waits for its end.
  ///
  /// - Parameters:
  ///   - work: What it does.
  ///   - limits: What it may take.
  ///   - onOutput: Called for each part of its answer as it comes.
  /// - Throws: ``StudioError`` with what the helper says is wrong, or with why it was ended.
  func run(
    _ work: HelperWork, limits: Limits, onOutput: (Data) -> Void = { _ in }
  ) throws -> Data {
    let process = Process()
    process.executableURL = executable
    process.arguments =
      [HelperMain.word, "\(limits.memory)", "\(limits.seconds ?? 0)"] + work.words
    process.environment = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
    let id = try start(process)
    defer { ends.leave() }
    let deadline = DispatchWorkItem { kill(id, SIGKILL) }
    if let seconds = limits.seconds {
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: deadline)
    }
    var answer = Data()
    while let part = try output.fileHandleForReading.read(upToCount: 65_536), !part.isEmpty {
      answer += part
      onOutput(part)
      if answer.count > limits.outputCount { kill(id, SIGKILL) }
    }
    let message = try errors.fileHandleForReading.read(upToCount: 4096) ?? Data()
    // Until it has been waited for, its number is nobody else's.
    deadline.cancel()
    state.withLock { $0.running.removeAll { $0 == id } }
    process.waitUntilExit()
    try? input.fileHandleForWriting.close()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw Self.failure(process, limits, String(decoding: message, as: UTF8.self))
    }
    return answer
  }

  private func start(_ process: Process) throws -> Int32 {
    try state.withLock { state in
      guard !state.isStopped else {
        throw StudioError(.serviceUnavailable, "The studio is being closed.")
      }
      try process.run()
      ends.enter()
      state.running.append(process.processIdentifier)
      return process.processIdentifier
    }
  }

  /// Ends all helpers, waits until they write no more, and starts no others.
  package func stop() {
    state.withLock { state in
      state.isStopped = true
      state.running.forEach { kill($0, SIGKILL) }
    }
    // On a busy machine it takes some time until a killed process is gone. One that the system holds on to must not
    // hold this one.
    _ = ends.wait(timeout: .now() + 30)
  }

  private static func failure(
    _ process: Process, _ limits: Limits, _ message: String
  ) -> StudioError {
    if process.terminationReason == .exit, process.terminationStatus == HelperMain.refusal {
      return StudioError(.unprocessableContent, message)
    }
    let time = limits.seconds.map { " and \($0) seconds" } ?? ""
    return StudioError(
      .unprocessableContent,
      "The helper process ended early: it exceeded its limits (\(limits.memory >> 20) MiB of "
        + "memory\(time)), crashed, or read a file that was truncated meanwhile.")
  }
}
