import Weighbridge

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The exit statuses that scripts rely on.
enum ExitStatus: Int32, Error {
  case done = 0
  case checkFailed = 1
  case usage = 2
  case input = 3
  case output = 4
  case limit = 5
  case interrupted = 130

  init(_ code: WeighbridgeError.Code) {
    switch code {
    case .mismatch: self = .usage
    case .outputFailed: self = .output
    case .limitExceeded: self = .limit
    case .cancelled: self = .interrupted
    default: self = .input
    }
  }
}

/// Ends the program at once, without the libraries' exit handlers: another thread may still be
/// using a library (to compute a digest), and would crash.
func end(_ status: ExitStatus) -> Never {
  fflush(nil)
  _exit(status.rawValue)
}
