import Foundation
import Synchronization
import Weighbridge

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the program does when a ``HelperProcess`` runs it.
package enum HelperMain {
  /// The first argument of a helper.
  package static let word = "helper"
  /// The exit status of a helper that says what is wrong with a file.
  static let refusal: Int32 = 3

  /// Does the work that the arguments after ``word`` name, and ends the process.
  package static func run(_ arguments: [String]) -> Never {
    guard arguments.count > 2, let memory = Int(arguments[0]), let seconds = Int(arguments[1]),
      let work = HelperWork(words: Array(arguments.dropFirst(2)))
    else { end("this is for weighbridge-studio itself", status: 2) }
    limit(memory: memory, seconds: seconds)
    endWithParent()
    do {
      switch work {
      case .report(let folder, let verifies):
        write(try ReportWork(folder: folder, verifies: verifies).page())
      case .index(let work): try IndexUpdate(work).run()
      }
    } catch {
      end(StudioError(error).message, status: refusal)
    }
    exit(0)
  }

  /// Writes to the standard output.
  static func write(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }

  /// Limits the process's memory and processor time, and turns core files off. Linux counts all private
  /// memory as data, but not files that are mapped for reading.
  private static func limit(memory: Int, seconds: Int) {
    set(RLIMIT_CORE, 0)
    set(RLIMIT_DATA, memory)
    let processors = ProcessInfo.processInfo.activeProcessorCount
    if seconds > 0 { set(RLIMIT_CPU, seconds * processors) }
  }

  #if canImport(Glibc)
    private static func set(_ resource: __rlimit_resource, _ value: Int) {
      var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
      setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    }
  #else
    private static func set(_ resource: Int32, _ value: Int) {
      var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
      setrlimit(resource, &limit)
    }
  #endif

  /// Ends the process as soon as the studio is gone, which holds the other end of the standard input.
  private static func endWithParent() {
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) != 0 {}
      _exit(1)
    }
  }

  private static func end(_ message: String, status: Int32) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data(message.utf8))
    exit(status)
  }
}
