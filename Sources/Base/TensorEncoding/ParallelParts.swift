import Bytes
import Dispatch
import Synchronization

/// Decodes elements on several threads, a part on each.
enum ParallelParts {
  /// Fills an array of bytes.
  ///
  /// - Parameters:
  ///   - byteCount: The size of the array.
  ///   - parts: The number of parts.
  ///   - body: Writes everything that belongs to a part, and nothing else, to the memory of the
  ///     array; returns whether it succeeded.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a part could not be decoded.
  static func decode(
    byteCount: Int, parts: Int, _ body: @Sendable (Int, UnsafeMutableRawBufferPointer) -> Bool
  ) throws(WeighbridgeError) -> [UInt8] {
    let failedPart = Atomic(-1)
    let capacity = LargePages.arrayCapacity(byteCount)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      let mapping = UnsafeMutableRawBufferPointer(buffer)
      unsafe LargePages.use(in: mapping, count: byteCount)
      // Threads write parts that do not overlap, and all have finished when this returns.
      nonisolated(unsafe) let memory = unsafe UnsafeMutableRawBufferPointer(
        rebasing: mapping[..<byteCount])
      DispatchQueue.concurrentPerform(iterations: parts) { part in
        if unsafe !body(part, memory) { failedPart.store(part, ordering: .relaxed) }
      }
      count = byteCount
    }
    let part = failedPart.load(ordering: .relaxed)
    guard part < 0 else {
      throw .malformed("chunk #\(part) does not match its symbol table")
    }
    return bytes
  }

  /// Updates an array of bytes.
  ///
  /// - Parameter body: Reads and changes the bytes that belong to a part, and no others.
  static func update(
    _ bytes: inout [UInt8], parts: Int,
    _ body: @Sendable (Int, UnsafeMutableRawBufferPointer) -> Void
  ) {
    unsafe bytes.withUnsafeMutableBytes { buffer in
      // Threads change parts that do not overlap, and all have finished when this returns.
      nonisolated(unsafe) let memory = unsafe buffer
      DispatchQueue.concurrentPerform(iterations: parts) { unsafe body($0, memory) }
    }
  }
}
