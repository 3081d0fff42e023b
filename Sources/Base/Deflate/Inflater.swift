import CZlib

/// Unpacks deflate streams (RFC 1951), bare or within zlib's frame (RFC 1950).
package enum Inflater {
  /// The format around a stream.
  package enum Frame: Sendable {
    /// Nothing, as in ZIP archives.
    case none
    /// A header of two bytes and an Adler-32 checksum, which is checked.
    case zlib
  }

  /// The result of unpacking a stream.
  package struct Outcome: Sendable {
    /// The unpacked bytes.
    package let bytes: [UInt8]
    /// The number of input bytes that the stream took.
    package let usedByteCount: Int
    /// Whether the stream ended; otherwise it is damaged, truncated or longer than the output.
    package let isComplete: Bool
  }

  /// The largest ratio of unpacked to packed bytes that deflate can reach, by its specification.
  package static let largestRatio = 1032

  /// Unpacks a stream to at most `byteCount` bytes, for which memory is allocated first.
  package static func inflate(_ bytes: RawSpan, _ frame: Frame, byteCount: Int) -> Outcome {
    var (isComplete, used) = (false, 0)
    let result = [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
      bytes.withUnsafeBytes { input in
        // `count` is what zlib says it wrote, so all of it is initialized.
        (isComplete, used, count) = inflate(input, frame, output)
      }
    }
    return Outcome(bytes: result, usedByteCount: used, isComplete: isComplete)
  }

  private static func inflate(
    _ input: UnsafeRawBufferPointer, _ frame: Frame, _ output: UnsafeMutableBufferPointer<UInt8>
  ) -> (isComplete: Bool, used: Int, made: Int) {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    let window = frame == .zlib ? MAX_WBITS : -MAX_WBITS
    guard inflateInit2_(&stream, window, ZLIB_VERSION, size) == Z_OK else { return (false, 0, 0) }
    defer { inflateEnd(&stream) }
    var spare: UInt8 = 0  // a valid target when the output is empty
    var (used, made) = (0, 0)
    while true {
      // The library counts in 32 bits, so large buffers are passed in parts.
      let part = min(input.count - used, 1 << 30)
      let room = min(output.count - made, 1 << 30)
      stream.next_in = UnsafeMutablePointer(
        mutating: input.bindMemory(to: UInt8.self).baseAddress.map { $0 + used })
      stream.avail_in = UInt32(part)
      stream.avail_out = UInt32(room)
      let status = withUnsafeMutablePointer(to: &spare) { spare in
        stream.next_out = output.baseAddress.map { $0 + made } ?? spare
        return CZlib.inflate(&stream, Z_NO_FLUSH)
      }
      used += part - Int(stream.avail_in)
      made += room - Int(stream.avail_out)
      if status == Z_STREAM_END { return (true, used, made) }
      let moved = part > Int(stream.avail_in) || room > Int(stream.avail_out)
      guard status == Z_OK || status == Z_BUF_ERROR, moved else { return (false, used, made) }
    }
  }
}
