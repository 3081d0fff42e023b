import Dispatch
import Weighbridge

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What signals do to the program.
enum Interrupts {
  /// Turns signals that input or output can raise into errors.
  ///
  /// Writing to a closed pipe or past a file size limit then fails like any other write. A mapped
  /// file that somebody cuts short while it is read cannot be recovered from; the program ends with
  /// a message and the status of bad input.
  static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    signal(SIGBUS) { _ in
      // Only calls that a signal handler may make.
      let message: StaticString = "weighbridge: error: a file was cut short while it was read\n"
      _ = write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
      _exit(ExitStatus.input.rawValue)
    }
  }

  /// Turns Ctrl-C into a cancellation, from the return on. Work that does not notice within a second
  /// is ended; an unfinished output has no name yet and goes with the process.
  static func cancellation() -> (Cancellation, any DispatchSourceSignal) {
    let cancellation = Cancellation()
    signal(SIGINT, SIG_IGN)
    // A queue whose threads the work does not take.
    let queue = DispatchQueue.global(qos: .userInteractive)
    let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
    source.setEventHandler {
      cancellation.cancel()
      queue.asyncAfter(deadline: .now() + 1) { end(.interrupted) }
    }
    // The source is installed by another thread; until then a signal would be lost.
    let isInstalled = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isInstalled.signal() }
    source.resume()
    isInstalled.wait()
    return (cancellation, source)
  }
}
