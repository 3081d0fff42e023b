import Bytes
import Dispatch
import Synchronization

/// Elements that several threads decode, each a part of its own.
enum ParallelParts {
  /// Fills an array of bytes.
  ///
  /// - Parameters:
  ///   - byteCount: Its size.
  ///   - parts: How many parts there are.
  ///   - body: Writes all that belongs to a part, and nothing else, into the memory of the array;
  ///     returns whether it could.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a part could not be decoded.
  static func decode(
    byteCount: Int, parts: Int, _ body: @Sendable (Int, UnsafeMutableRawBufferPointer) -> Bool
  ) throws(WeighbridgeError) -> [UInt8] {
    let damaged = Atomic(-1)
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      // Threads write parts that do not overlap, and all have ended when this returns.
      nonisolated(unsafe) let memory = UnsafeMutableRawBufferPointer(buffer)
      LargePages.use(in: memory)
      DispatchQueue.concurrentPerform(iterations: parts) { part in
        if !body(part, memory) { damaged.store(part, ordering: .relaxed) }
      }
      count = byteCount
    }
    let part = damaged.load(ordering: .relaxed)
    guard part < 0 else {
      throw .malformed("chunk #\(part) is not what its table of symbols codes")
    }
    return bytes
  }

  /// Changes an array of bytes.
  ///
  /// - Parameter body: Reads and changes what belongs to a part, and nothing else.
  static func update(
    _ bytes: inout [UInt8], parts: Int,
    _ body: @Sendable (Int, UnsafeMutableRawBufferPointer) -> Void
  ) {
    bytes.withUnsafeMutableBytes { buffer in
      // Threads change parts that do not overlap, and all have ended when this returns.
      nonisolated(unsafe) let memory = buffer
      DispatchQueue.concurrentPerform(iterations: parts) { body($0, memory) }
    }
  }
}
