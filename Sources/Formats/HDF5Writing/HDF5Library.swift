import Bytes

#if WritingHDF5
  import CHDF5
  import Synchronization

  /// The process's one way into libhdf5, whose functions must not run at the same time.
  package enum HDF5Library {
    private static let lock = Mutex<Void>(())

    /// Runs `body` while nobody else uses libhdf5. Must not be nested.
    package static func use<Result: Sendable, Failure: Error>(
      _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try lock.withLock { _ throws(Failure) in
        let printer = chdf5_silence()
        defer { chdf5_restore(printer) }
        return try body()
      }
    }

    /// An error with what HDF5 said last: the innermost description of its error stack.
    static func failure(_ what: String) -> WeighbridgeError {
      var text = [CChar](repeating: 0, count: 512)
      chdf5_last_error(&text)  // writes at most 511 characters and leaves a zero behind them
      let said = String(
        decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return .malformed(said.isEmpty ? what : "\(what); HDF5 says: \(said)")
    }

    /// Throws what HDF5 said when a call returned a negative number, and otherwise the number.
    @discardableResult
    static func check<Status: SignedInteger>(
      _ status: Status, _ what: @autoclosure () -> String
    ) throws(WeighbridgeError) -> Status {
      guard status >= 0 else { throw failure(what()) }
      return status
    }
  }

  /// An identifier of libhdf5 that is closed when it goes. Lives inside ``HDF5Library/use(_:)`` only.
  struct HDF5Handle: ~Copyable {
    let identifier: hid_t

    /// Takes over an identifier that a call returned.
    init(
      _ identifier: hid_t, _ what: @autoclosure () -> String
    ) throws(WeighbridgeError) {
      guard identifier >= 0 else { throw HDF5Library.failure(what()) }
      self.identifier = identifier
    }

    /// Closes it. Much of a file is written only then.
    ///
    /// - Throws: What HDF5 says when that fails.
    consuming func close(_ what: @autoclosure () -> String) throws(WeighbridgeError) {
      let identifier = identifier
      discard self
      try HDF5Library.check(H5Idec_ref(identifier), what())
    }

    deinit { H5Idec_ref(identifier) }
  }
#endif
