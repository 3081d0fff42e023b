import Foundation
import TestSupport
import Testing

/// The library that is preloaded into the program, built from `Files/faults.c`.
enum FaultLibrary {
  /// Whether there is a C compiler, and a system that preloads libraries.
  static let isAvailable: Bool = {
    #if os(Linux)
      return (try? Program.shell("command -v cc"))?.status == 0
    #else
      return false
    #endif
  }()

  /// The path of the library, which is built once.
  static func path() throws -> String { try built.get() }

  /// The reason why tests that need it are skipped.
  static let skipReason = "needs Linux and a C compiler (cc)"

  private static let built = Result { try build() }

  /// Keeps the library while the tests run.
  private static let folder = Result { try TemporaryFolder() }

  private static func build() throws -> String {
    let source = "\(Paths.project)/Tests/Product/WeighbridgeCommandTests/Files/faults.c"
    let library = try folder.get().file("faults.so")
    let built = try Program.shell(
      #"cc -shared -fPIC -O1 -Wall -Wextra -Werror -o "$2" "$1" -ldl"#, source, library)
    try #require(built.status == 0, "\(built.messages)")
    return library
  }
}

/// The outcome of a call.
enum FaultKind: String, CaseIterable, Sendable {
  case noSpace = "ENOSPC"
  case inputOutput = "EIO"
  case interrupted = "EINTR"
  case short
  case kill

  /// The value of `FAULT_KIND`.
  var environmentValue: String {
    switch self {
    case .noSpace: "\(ENOSPC)"
    case .inputOutput: "\(EIO)"
    case .interrupted: "\(EINTR)"
    case .short, .kill: rawValue
    }
  }
}

/// A failing call of a command.
struct Fault: Sendable, CustomStringConvertible {
  let call: String
  let number: Int
  let kind: FaultKind

  var description: String { "\(kind.rawValue) at \(call) #\(number)" }

  /// The variables that the library reads.
  var environment: [String: String] {
    ["FAULT_CALL": call, "FAULT_NUMBER": "\(number)", "FAULT_KIND": kind.environmentValue]
  }

  /// The number of calls of each function, from the file that the library writes.
  static func counts(_ path: String) throws -> [(call: String, count: Int)] {
    String(decoding: try Files.read(path), as: UTF8.self).split(separator: "\n")
      .compactMap { line in
        let fields = line.split(separator: " ")
        return Int(fields[1]).map { (String(fields[0]), $0) }
      }
  }

  /// All faults of a command with these numbers of calls. A short call is one that
  /// returns a smaller count.
  static func all(of counts: [(call: String, count: Int)]) -> [Fault] {
    counts.flatMap { call, count in
      let kinds = FaultKind.allCases.filter { kind in
        switch kind {
        case .short: ["write", "pwrite", "copy_file_range"].contains(call)
        // No signal interrupts the creation of a folder.
        case .interrupted: call != "mkdir"
        default: true
        }
      }
      return (0..<count).flatMap { number in
        kinds.map { Fault(call: call, number: number + 1, kind: $0) }
      }
    }
  }

  /// The correct exit statuses.
  ///
  /// Failures of optional calls (a hint to the system, a copy inside the kernel), of calls that are
  /// retried, and of messages change nothing. A file that cannot be mapped is an input that cannot
  /// be read, an output that cannot be read back, or a file that is only inspected.
  var statuses: Set<Int32> {
    switch (call, kind) {
    case ("sync_file_range", _), ("copy_file_range", _), ("write", _), (_, .short): [0]
    case ("mmap", _): [0, 3, 4]
    // Without an unnamed file the program uses a named one.
    case ("open", _): [0, 4]
    case (_, .interrupted): [0]
    default: [4]
    }
  }
}
