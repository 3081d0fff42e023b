package import Bytes
import CZlib

/// Gets at the contents of a ZIP member.
package enum ZipReader {
  /// Deflate never makes more than this of one byte, by its specification (RFC 1951).
  private static let largestRatio = 1032

  /// Where the contents are: in the archive itself when stored, else in memory.
  ///
  /// - Parameter memory: How many bytes may be unpacked; reduced by what is.
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
    guard member.byteCount / largestRatio <= member.compressedByteCount else {
      throw WeighbridgeError(
        .malformed,
        "claims \(member.byteCount) bytes, which \(member.compressedByteCount) cannot unpack to")
    }
    memory -= member.byteCount
    guard memory >= 0 else {
      throw WeighbridgeError(
        .limitExceeded, "unpacks to \(member.byteCount) bytes, which is over the limit of memory")
    }
    let contents = try store.withBytes { (bytes) throws(WeighbridgeError) in
      try inflate(bytes.extracting(member.range), byteCount: member.byteCount)
    }
    try check(checksum(contents.span.bytes), member)
    return (ByteStore(contents), 0..<contents.count)
  }

  /// The CRC-32 of bytes, continued from that of the bytes before them.
  static func checksum(_ bytes: RawSpan, after previous: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBytes { buffer in
      // The buffer's own size; the library keeps no pointer to it.
      UInt32(
        truncatingIfNeeded: crc32_z(
          UInt(previous), buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count))
    }
  }

  private static func check(
    _ crc: UInt32, _ member: ZipDirectory.Member
  ) throws(WeighbridgeError) {
    guard crc == member.crc else {
      throw WeighbridgeError(.malformed, "is damaged: its checksum does not fit")
    }
  }

  /// Unpacks a raw deflate stream that must give just so many bytes and use all of its own.
  private static func inflate(
    _ bytes: RawSpan, byteCount: Int
  ) throws(WeighbridgeError) -> [UInt8] {
    var isComplete = false
    let result = [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
      bytes.withUnsafeBytes { input in
        isComplete = inflate(input, output)
      }
      count = isComplete ? byteCount : 0  // complete means that all of it was written
    }
    guard isComplete else {
      throw WeighbridgeError(
        .malformed, "does not unpack to the \(byteCount) bytes that the directory says")
    }
    return result
  }

  /// Whether `input` unpacks to just `output`.
  private static func inflate(
    _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, size) == Z_OK else { return false }
    defer { inflateEnd(&stream) }
    var spare: UInt8 = 0  // what the stream must not write to: it has no room for more
    var (used, made) = (0, 0)
    while true {
      // The library counts in 32 bits, so large buffers are given in parts of their own size.
      let part = min(input.count - used, 1 << 30)
      let room = min(output.count - made, 1 << 30)
      stream.next_in = UnsafeMutablePointer(
        mutating: input.bindMemory(to: UInt8.self).baseAddress.map { $0 + used })
      stream.avail_in = UInt32(part)
      stream.avail_out = UInt32(room)
      let status = withUnsafeMutablePointer(to: &spare) { spare in
        stream.next_out = output.baseAddress.map { $0 + made } ?? spare
        return zlib_inflate(&stream)
      }
      used += part - Int(stream.avail_in)
      made += room - Int(stream.avail_out)
      if status == Z_STREAM_END { return used == input.count && made == output.count }
      let moved = part > Int(stream.avail_in) || room > Int(stream.avail_out)
      guard status == Z_OK || status == Z_BUF_ERROR, moved else { return false }
    }
  }

  private static func zlib_inflate(_ stream: inout z_stream) -> Int32 {
    CZlib.inflate(&stream, Z_NO_FLUSH)
  }
}
