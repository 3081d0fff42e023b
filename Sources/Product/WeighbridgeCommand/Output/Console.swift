#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program's output to people and scripts.
enum Console {
  /// Prints a result to standard output. A closed pipe ends the program quietly.
  static func printLine(_ text: String) {
    write(text + "\n", to: STDOUT_FILENO)
  }

  /// Prints a message to standard error.
  static func message(_ text: String) {
    let line = "weighbridge: \(text.namingOptions)\n"
    // A progress bar may be in the line of the terminal.
    write(messagesGoToTerminal ? "\r\u{1B}[K" + line : line, to: STDERR_FILENO)
  }

  /// Whether messages are shown on a terminal.
  static var messagesGoToTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes transient text to the terminal of the messages.
  static func terminal(_ text: String) { write(text, to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes {
        unsafe systemWrite(descriptor, $0.baseAddress, $0.count)
      }
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if written == 0 || errno != EINTR {
        // A message that cannot be delivered changes nothing, in particular not the exit status.
        if descriptor == STDERR_FILENO { return }
        end(errno == EPIPE ? .done : .output)
      }
    }
  }
}

/// The system's `write`, which is hidden by the type's own method.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)  // the buffer outlives the call
}
