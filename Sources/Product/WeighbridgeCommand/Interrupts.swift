import Dispatch
import Weighbridge

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The handling of signals.
enum Interrupts {
  /// Turns signals that input or output can raise into errors.
  ///
  /// Writing to a closed pipe or beyond a file size limit then fails like any other write. If a
  /// mapped file is truncated while it is read, recovery is impossible; the program ends with a
  /// message and the status of bad input.
  static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    signal(SIGBUS) { _ in
      // A signal handler may call only certain functions, such as these.
      let message: StaticString = "weighbridge: error: a file was cut short while it was read\n"
      _ = unsafe write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
      _exit(ExitStatus.input.rawValue)
    }
  }

  /// Turns Ctrl-C into a cancellation once this returns. Work that does not react within a second
  /// is ended; an unfinished output has no name yet and disappears with the process.
  static func cancellation() -> (Cancellation, any DispatchSourceSignal) {
    let cancellation = Cancellation()
    signal(SIGINT, SIG_IGN)
    // The work does not occupy the threads of this queue.
    let queue = DispatchQueue.global(qos: .userInteractive)
    let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
    source.setEventHandler {
      cancellation.cancel()
      queue.asyncAfter(deadline: .now() + 1) { end(.interrupted) }
    }
    // Another thread installs the source; until then a signal would be lost.
    let isInstalled = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isInstalled.signal() }
    source.resume()
    isInstalled.wait()
    return (cancellation, source)
  }
}
