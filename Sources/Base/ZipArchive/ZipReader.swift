package import Bytes
import CZlib
import Deflate

/// Reads the contents of a ZIP member.
package enum ZipReader {
  /// Returns the contents as a range of a store: of the archive itself if the member is stored
  /// uncompressed, otherwise of memory.
  ///
  /// - Parameter memory: The number of bytes that may still be decompressed; reduced by the size of
  ///   the member.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the checksum or size is wrong,
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package static func contents(
    of member: ZipDirectory.Member, in store: ByteStore, memory: inout Int
  ) throws(WeighbridgeError) -> (ByteStore, Range<Int>) {
    guard member.isDeflated else {
      let crc = store.withBytes { checksum($0.extracting(member.range)) }
      store.release(member.range)
      try check(crc, member)
      return (store, member.range)
    }
    guard member.byteCount / Inflater.largestRatio <= member.compressedByteCount else {
      throw .malformed(
        "cannot unpack \(member.compressedByteCount) bytes to \(member.byteCount)")
    }
    memory -= member.byteCount
    guard memory >= 0 else {
      throw .limitExceeded(
        "unpacks to \(member.byteCount) bytes, which exceeds the memory limit")
    }
    let contents = try store.withBytes { (bytes) throws(WeighbridgeError) in
      try inflate(bytes.extracting(member.range), byteCount: member.byteCount)
    }
    try unsafe check(checksum(contents.span.bytes), member)
    return (ByteStore(contents), 0..<contents.count)
  }

  /// Returns the CRC-32 of bytes, continued from that of the bytes before them.
  static func checksum(_ bytes: RawSpan, after previous: UInt32 = 0) -> UInt32 {
    unsafe bytes.withUnsafeBytes { buffer in
      // The buffer's own size; the library keeps no pointer to it.
      unsafe UInt32(
        truncatingIfNeeded: crc32_z(
          UInt(previous), buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count))
    }
  }

  private static func check(
    _ crc: UInt32, _ member: ZipDirectory.Member
  ) throws(WeighbridgeError) {
    guard crc == member.crc else { throw .malformed("is damaged: its checksum does not match") }
  }

  /// Decompresses a raw deflate stream, which must produce exactly `byteCount` bytes and use all of
  /// its input.
  private static func inflate(
    _ bytes: RawSpan, byteCount: Int
  ) throws(WeighbridgeError) -> [UInt8] {
    let outcome = Inflater.inflate(bytes, .none, byteCount: byteCount)
    guard outcome.isComplete, outcome.usedByteCount == bytes.byteCount,
      outcome.bytes.count == byteCount
    else {
      throw .malformed("does not unpack to the \(byteCount) bytes that the directory says")
    }
    return outcome.bytes
  }
}
