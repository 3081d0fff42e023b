import Bytes
import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Ends the program when it takes more memory or time than it may, whatever it is doing.
///
/// An output that is not complete has no name yet and goes with the process, as after Ctrl-C.
final class Limits: Sendable {
  /// How often the memory is looked at. What can be written in the meantime is beyond the limit.
  private static let interval = DispatchTimeInterval.milliseconds(10)

  // A queue of its own has a thread whatever the work does with the others.
  private let queue = DispatchQueue(label: "limits", qos: .userInteractive)

  /// Begins to watch; until the process ends. What has been taken already counts.
  ///
  /// - Parameter start: When the program began.
  init(_ options: GeneralOptions, since start: DispatchTime) {
    if let limit = options.timeLimit {
      let stop: @Sendable () -> Void = {
        Self.stop("this takes longer than \(limit.seconds) seconds (--time-limit)")
      }
      let deadline = start + limit.seconds
      if deadline <= .now() { stop() }
      queue.asyncAfter(deadline: deadline, execute: stop)
    }
    let limit = options.memoryLimit?.bytes ?? Self.physicalMemory
    guard Self.memory != nil else { return }
    look(limit)
  }

  private func look(_ limit: Int) {
    if let taken = Self.memory, taken > limit {
      Self.stop("this takes more memory than \(limit.grouped) bytes (--memory-limit)")
    }
    queue.asyncAfter(deadline: .now() + Self.interval) { self.look(limit) }
  }

  private static func stop(_ reason: String) -> Never {
    Console.message("error: \(reason)")
    end(.limit)
  }

  /// All memory of the machine, in bytes.
  private static var physicalMemory: Int {
    Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The memory of the process that is no part of a file, in bytes; `nil` where the system does not
  /// say.
  private static var memory: Int? {
    guard let file = fopen("/proc/self/statm", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    // At most the buffer's own size, with a zero at the end.
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let words = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.split(separator: 0x20)
    guard words.count > 2, let resident = Int(String(decoding: words[1], as: UTF8.self)),
      let shared = Int(String(decoding: words[2], as: UTF8.self))
    else { return nil }
    return (resident - shared) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
