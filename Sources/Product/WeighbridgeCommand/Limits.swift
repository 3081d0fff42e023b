import Bytes
import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Ends the program when it exceeds its memory or time limit, whatever it is doing.
///
/// An incomplete output has no name yet and disappears with the process, as after Ctrl-C.
final class Limits: Sendable {
  /// The interval between checks of the memory. Memory touched in the meantime can exceed the
  /// limit.
  private static let interval = DispatchTimeInterval.milliseconds(10)

  // A separate queue gets a thread even if the work occupies all others.
  private let queue = DispatchQueue(label: "limits", qos: .userInteractive)

  /// Starts watching until the process ends. Memory and time already used count.
  ///
  /// - Parameter start: The start of the program.
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
    poll(limit)
  }

  private func poll(_ limit: Int) {
    if let usage = Self.memory, usage > limit {
      Self.stop("this takes more memory than \(limit.grouped) bytes (--memory-limit)")
    }
    queue.asyncAfter(deadline: .now() + Self.interval) { self.poll(limit) }
  }

  private static func stop(_ reason: String) -> Never {
    Console.message("error: \(reason)")
    end(.limit)
  }

  /// The machine's memory in bytes.
  private static var physicalMemory: Int {
    Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The process's memory that is not part of a file, in bytes; `nil` if the system does not report
  /// it.
  private static var memory: Int? {
    guard let file = unsafe fopen("/proc/self/statm", "r") else { return nil }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    // This reads at most the buffer's size, including a NUL at the end.
    guard unsafe fgets(&line, Int32(line.count), file) != nil else { return nil }
    let fields = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.split(separator: 0x20)
    guard fields.count > 2, let resident = Int(String(decoding: fields[1], as: UTF8.self)),
      let shared = Int(String(decoding: fields[2], as: UTF8.self))
    else { return nil }
    return (resident - shared) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
