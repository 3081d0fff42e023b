import Synchronization

/// An immutable sequence of bytes that many values share: its own memory, a mapped file, or bytes
/// that are computed when they are first needed.
package final class ByteStore: Sendable {
  private enum Source: ~Copyable {
    case memory([UInt8])
    case file(MappedFile)
    case deferred(DeferredBytes)
  }

  private let source: Source
  /// What deferred bytes are computed from; `nil` for others.
  package let origin: (any Sendable)?
  /// The number of bytes.
  package let count: Int

  /// Bytes in memory.
  package init(_ bytes: [UInt8]) {
    count = bytes.count
    source = .memory(bytes)
    origin = nil
  }

  /// All bytes of a mapped file.
  package init(_ file: consuming MappedFile) {
    count = file.count
    source = .file(file)
    origin = nil
  }

  /// Bytes that are computed when they are first needed.
  ///
  /// - Parameters:
  ///   - count: The number of bytes.
  ///   - origin: What they are computed from.
  ///   - compute: Returns exactly that many bytes, the same in every call.
  package init(
    count: Int, of origin: some Sendable,
    _ compute: @escaping @Sendable () throws(WeighbridgeError) -> [UInt8]
  ) {
    self.count = count
    self.origin = origin
    source = .deferred(DeferredBytes(count: count, compute))
  }

  /// Calls `body` with the bytes. Bytes that could not be computed are zeros, and
  /// ``checkUnchanged()`` throws the reason.
  package func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch source {
    case .memory(let bytes): return try unsafe body(bytes.span.bytes)
    case .file(let file): return try file.withBytes(body)
    case .deferred(let bytes): return try unsafe body(bytes.value.span.bytes)
    }
  }

  /// Calls `body` with the descriptor of the mapped file, or `nil` when there is none.
  package func withDescriptor<Result, Failure: Error>(
    _ body: (Int32?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch source {
    case .memory: return try body(nil)
    case .deferred: return try body(nil)
    case .file(let file):
      return try file.withDescriptor { (descriptor) throws(Failure) in try body(descriptor) }
    }
  }

  /// Checks that a mapped file has not changed since it was opened, and that deferred bytes could
  /// be computed.
  ///
  /// - Throws: ``WeighbridgeError/Code/damaged``, or why deferred bytes could not be computed.
  package func checkUnchanged() throws(WeighbridgeError) {
    switch source {
    case .memory: break
    case .file(let file): try file.checkUnchanged()
    case .deferred(let bytes): try bytes.check()
    }
  }

  /// Tells the system how the bytes of a mapped file will be read from now on.
  package func advise(_ access: MappedFile.Access) {
    switch source {
    case .memory: break
    case .deferred: break
    case .file(let file): file.advise(access)
    }
  }

  /// Returns the memory of a mapped range, or of all deferred bytes, to the system; the bytes can
  /// still be read.
  package func release(_ range: Range<Int>) {
    switch source {
    case .memory: break
    case .file(let file): file.release(range)
    case .deferred(let bytes): if range.count == count { bytes.discard() }
    }
  }
}

/// Bytes that are computed when they are first needed.
private final class DeferredBytes: Sendable {
  private let count: Int
  private let compute: @Sendable () throws(WeighbridgeError) -> [UInt8]
  private let state = Mutex<(bytes: [UInt8]?, error: WeighbridgeError?)>((nil, nil))

  init(count: Int, _ compute: @escaping @Sendable () throws(WeighbridgeError) -> [UInt8]) {
    self.count = count
    self.compute = compute
  }

  /// The bytes; zeros when they could not be computed.
  var value: [UInt8] {
    state.withLock { state in
      if let bytes = state.bytes { return bytes }
      var bytes: [UInt8]
      do throws(WeighbridgeError) {
        bytes = try compute()
        precondition(bytes.count == count, "as many bytes as were announced")
      } catch {
        state.error = error
        bytes = [UInt8](repeating: 0, count: count)
      }
      state.bytes = bytes
      return bytes
    }
  }

  /// - Throws: The reason why the bytes could not be computed.
  func check() throws(WeighbridgeError) {
    if let error = state.withLock(\.error) { throw error }
  }

  /// Frees the bytes; they are computed again when they are next needed.
  func discard() { state.withLock { $0.bytes = nil } }
}
