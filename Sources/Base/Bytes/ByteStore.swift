/// An immutable run of bytes that many values share: memory of its own, or a mapped file.
package final class ByteStore: Sendable {
  private enum Source: ~Copyable {
    case memory([UInt8])
    case file(MappedFile)
  }

  private let source: Source
  /// The number of bytes.
  package let count: Int

  /// Bytes in memory.
  package init(_ bytes: [UInt8]) {
    count = bytes.count
    source = .memory(bytes)
  }

  /// The bytes of a mapped file, from its first to its last.
  package init(_ file: consuming MappedFile) {
    count = file.count
    source = .file(file)
  }

  /// Calls `body` with the bytes.
  package func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch source {
    case .memory(let bytes): return try body(bytes.span.bytes)
    case .file(let file): return try file.withBytes(body)
    }
  }

  /// Calls `body` with the descriptor of the mapped file, or `nil` for bytes in memory.
  package func withDescriptor<Result, Failure: Error>(
    _ body: (Int32?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch source {
    case .memory: return try body(nil)
    case .file(let file):
      return try file.withDescriptor { (descriptor) throws(Failure) in try body(descriptor) }
    }
  }

  /// Makes sure that a mapped file is as it was when it was opened.
  ///
  /// - Throws: ``WeighbridgeError/Code/damaged``.
  package func checkUnchanged() throws(WeighbridgeError) {
    switch source {
    case .memory: break
    case .file(let file): try file.checkUnchanged()
    }
  }

  /// Says how the bytes of a mapped file will be read from now on.
  package func expect(_ access: MappedFile.Access) {
    switch source {
    case .memory: break
    case .file(let file): file.expect(access)
    }
  }

  /// Gives the memory of a mapped range back to the system; it can still be read.
  package func release(_ range: Range<Int>) {
    switch source {
    case .memory: break
    case .file(let file): file.release(range)
    }
  }
}
