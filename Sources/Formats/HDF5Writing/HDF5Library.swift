import Bytes

#if WritingHDF5
  import CHDF5
  import Synchronization

  /// The only access to libhdf5, whose functions must not run concurrently.
  package enum HDF5Library {
    private static let lock = Mutex<Void>(())

    /// Runs `body` with exclusive access to libhdf5. Must not be nested.
    package static func use<Result: Sendable, Failure: Error>(
      _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try lock.withLock { _ throws(Failure) in
        let printer = unsafe chdf5_silence()
        defer { unsafe chdf5_restore(printer) }
        return try body()
      }
    }

    /// Returns an error with HDF5's own message: the innermost description of its error stack.
    static func failure(_ what: String) -> WeighbridgeError {
      var text = [CChar](repeating: 0, count: 512)
      unsafe chdf5_last_error(&text)  // writes at most 511 characters and a zero
      let message = String(
        decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return .malformed(message.isEmpty ? what : "\(what); HDF5 says: \(message)")
    }

    /// Throws HDF5's error when a call returned a negative number, and otherwise returns the
    /// number.
    @discardableResult
    static func check<Status: SignedInteger>(
      _ status: Status, _ what: @autoclosure () -> String
    ) throws(WeighbridgeError) -> Status {
      guard status >= 0 else { throw failure(what()) }
      return status
    }
  }

  /// An identifier of libhdf5, closed at the end of its lifetime. Must only be used inside
  /// ``HDF5Library/use(_:)``.
  struct HDF5Handle: ~Copyable {
    let identifier: hid_t

    /// Takes ownership of an identifier that a call returned.
    init(
      _ identifier: hid_t, _ what: @autoclosure () -> String
    ) throws(WeighbridgeError) {
      guard identifier >= 0 else { throw HDF5Library.failure(what()) }
      self.identifier = identifier
    }

    /// Closes the identifier. Much of a file is only written then.
    ///
    /// - Throws: HDF5's error when that fails.
    consuming func close(_ what: @autoclosure () -> String) throws(WeighbridgeError) {
      let identifier = identifier
      discard self
      try HDF5Library.check(H5Idec_ref(identifier), what())
    }

    deinit { H5Idec_ref(identifier) }
  }
#endif
