import Bytes
import CHDF5
import Synchronization

/// The process's one way into libhdf5, whose functions must not run at the same time.
enum LibHDF5 {
  private static let lock = Mutex<Void>(())

  /// Runs `body` while nobody else uses libhdf5.
  static func use<Result: Sendable>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock { _ throws(Failure) in
      let printer = chdf5_silence()
      defer { chdf5_restore(printer) }
      return try body()
    }
  }

  /// What libhdf5 cannot read.
  struct Failure: Error {
    let what: String
  }

  /// The number that a call returned.
  ///
  /// - Throws: ``Failure`` when it is negative.
  @discardableResult
  static func check<Status: SignedInteger>(
    _ status: Status, _ what: String
  ) throws(Failure) -> Status {
    guard status >= 0 else { throw Failure(what: what) }
    return status
  }

  /// An identifier that is closed when it goes.
  final class Handle {
    let identifier: hid_t

    init(_ identifier: hid_t, _ what: String) throws(Failure) {
      self.identifier = try LibHDF5.check(identifier, what)
    }

    deinit { H5Idec_ref(identifier) }
  }
}
