import Foundation
import TestSupport
import Testing

/// The library that is preloaded into the program, built from `Files/faults.c`.
enum FaultLibrary {
  /// Where it was built; `nil` where there is no C compiler or no preloading.
  static let path: String? = {
    #if os(Linux)
      return try? build()
    #else
      return nil
    #endif
  }()

  /// Why a test that needs it does not run.
  static let absence = "needs Linux and a C compiler (cc)"

  /// Keeps the library for as long as the tests run.
  private static let folder = try? TemporaryFolder()

  private static func build() throws -> String? {
    guard let folder else { return nil }
    let source = "\(Places.project)/Tests/WeighbridgeCommandTests/Files/faults.c"
    let library = folder.file("faults.so")
    let built = try Program.shell(
      #"cc -shared -fPIC -O1 -Wall -Wextra -Werror -o "$2" "$1" -ldl"#, source, library)
    #expect(built.status == 0, "\(built.messages)")
    return built.status == 0 ? library : nil
  }
}

/// What becomes of one call.
enum FaultKind: String, CaseIterable, Sendable {
  case noSpace = "ENOSPC"
  case inputOutput = "EIO"
  case interrupted = "EINTR"
  case short
  case kill

  /// What the library is told.
  var word: String {
    switch self {
    case .noSpace: "\(ENOSPC)"
    case .inputOutput: "\(EIO)"
    case .interrupted: "\(EINTR)"
    case .short, .kill: rawValue
    }
  }
}

/// One call of a command that goes wrong.
struct Fault: Sendable, CustomStringConvertible {
  let call: String
  let number: Int
  let kind: FaultKind

  var description: String { "\(kind.rawValue) at \(call) #\(number)" }

  /// What tells the library.
  var environment: [String: String] {
    ["FAULT_CALL": call, "FAULT_NUMBER": "\(number)", "FAULT_KIND": kind.word]
  }

  /// How often each function was called, from the file that the library writes.
  static func counts(_ path: String) throws -> [(call: String, count: Int)] {
    String(decoding: try Files.read(path), as: UTF8.self).split(separator: "\n")
      .compactMap { line in
        let words = line.split(separator: " ")
        return Int(words[1]).map { (String(words[0]), $0) }
      }
  }

  /// Every fault of a command that makes so many calls of each function. Short is a call that
  /// returns how much it did.
  static func all(of counts: [(call: String, count: Int)]) -> [Fault] {
    counts.flatMap { call, count in
      let kinds = FaultKind.allCases.filter {
        $0 != .short || ["write", "pwrite", "copy_file_range"].contains(call)
      }
      return (0..<count).flatMap { number in
        kinds.map { Fault(call: call, number: number + 1, kind: $0) }
      }
    }
  }

  /// The exit statuses that are right for it.
  ///
  /// What the program does without (a hint to the system, a copy inside the kernel), what it tries
  /// again, and what it says to nobody in particular changes nothing. A file that cannot be mapped is
  /// an input that cannot be read, the output that cannot be read back, or one that is only looked at.
  var statuses: Set<Int32> {
    switch (call, kind) {
    case ("sync_file_range", _), ("copy_file_range", _), ("write", _), (_, .short): [0]
    case ("mmap", _): [0, 3, 4]
    // Without a file that has no name the program uses one with a name.
    case ("open", _): [0, 4]
    case (_, .interrupted): [0]
    default: [4]
    }
  }
}
