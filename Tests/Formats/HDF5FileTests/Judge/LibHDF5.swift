import Bytes
import CHDF5
import HDF5Writing

/// libhdf5 as a reader, which our own is compared with. Used inside `HDF5Library.use` only: the suites
/// of other modules write with the same library in the same process.
enum LibHDF5 {
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
