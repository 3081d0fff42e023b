#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The description of the system's last error.
package func lastSystemError() -> String {
  describe(systemError: errno)
}

/// The description of a system error number.
package func describe(systemError number: Int32) -> String {
  // strerror never returns NULL, and its string is copied before anything else can change it.
  unsafe String(cString: strerror(number))
}

/// Repeats a system call while it is interrupted by a signal.
///
/// - Returns: Whether the call succeeded; if not, `errno` says why.
func succeeds(_ call: () -> Int32) -> Bool {
  while true {
    if call() == 0 { return true }
    if errno != EINTR { return false }
  }
}
