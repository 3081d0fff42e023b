import Dispatch
import Weighbridge

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What signals do to the program.
enum Interrupts {
  /// Lets writing to a closed pipe fail with an error instead of ending the program.
  static func ignoreClosedPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Turns Ctrl-C into a cancellation. Work that does not notice within a second is ended; an
  /// unfinished output has no name yet and goes with the process.
  static func cancellation() -> (Cancellation, any DispatchSourceSignal) {
    let cancellation = Cancellation()
    signal(SIGINT, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler {
      cancellation.cancel()
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) { end(.interrupted) }
    }
    source.resume()
    return (cancellation, source)
  }
}
