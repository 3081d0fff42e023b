import Bytes
import CWeighbridge

/// The error of a call.
struct Failure: Error {
  let status: weighbridge_status
  let reason: String
  var place = WeighbridgeError.Place()

  /// An error from the library.
  init(_ error: WeighbridgeError) {
    status = Self.statuses[error.code] ?? weighbridge_status(WEIGHBRIDGE_UNSUPPORTED)
    reason = error.reason
    place = error.place
  }

  private init(_ status: Int, _ reason: String) {
    self.status = weighbridge_status(status)
    self.reason = reason
  }

  /// An argument that is invalid in itself.
  static func invalidArgument(_ reason: String) -> Failure {
    Failure(WEIGHBRIDGE_INVALID_ARGUMENT, reason)
  }

  /// An argument that does not fit the model.
  static func mismatch(_ reason: String) -> Failure { Failure(WEIGHBRIDGE_MISMATCH, reason) }

  /// A handle that cannot be used.
  static func invalidHandle(_ reason: String) -> Failure {
    Failure(WEIGHBRIDGE_INVALID_HANDLE, reason)
  }

  static let outOfMemory = Failure(WEIGHBRIDGE_LIMIT_EXCEEDED, "there is not enough memory")

  static let busy = Failure(
    WEIGHBRIDGE_BUSY,
    "it is in use by another call; wait for that call, or open one for each thread")

  static let forked = Failure(
    WEIGHBRIDGE_FORKED,
    "this process was forked after its parent had used the library, whose threads it does not have; "
      + "use the library in the child only, or start the child anew (posix_spawn; in Python the start "
      + "methods spawn and forkserver)")

  private static let statuses: [WeighbridgeError.Code: weighbridge_status] = [
    .missing: weighbridge_status(WEIGHBRIDGE_MISSING),
    .malformed: weighbridge_status(WEIGHBRIDGE_MALFORMED),
    .damaged: weighbridge_status(WEIGHBRIDGE_DAMAGED),
    .truncated: weighbridge_status(WEIGHBRIDGE_TRUNCATED),
    .unsupported: weighbridge_status(WEIGHBRIDGE_UNSUPPORTED),
    .mismatch: weighbridge_status(WEIGHBRIDGE_MISMATCH),
    .outputFailed: weighbridge_status(WEIGHBRIDGE_OUTPUT_FAILED),
    .limitExceeded: weighbridge_status(WEIGHBRIDGE_LIMIT_EXCEEDED),
    .cancelled: weighbridge_status(WEIGHBRIDGE_CANCELLED),
  ]
}
