import CZlib

/// Decompresses deflate streams (RFC 1951), raw or in the zlib format (RFC 1950).
package enum Inflater {
  /// The format that wraps a stream.
  package enum Frame: Sendable {
    /// Nothing, as in ZIP archives.
    case none
    /// A header of two bytes and an Adler-32 checksum, which is checked.
    case zlib
  }

  /// The result of decompressing a stream.
  package struct Outcome: Sendable {
    /// The decompressed bytes.
    package let bytes: [UInt8]
    /// The number of input bytes that the stream consists of.
    package let usedByteCount: Int
    /// Whether the stream ended; otherwise it is damaged, truncated or longer than the output.
    package let isComplete: Bool
  }

  /// The largest compression ratio that deflate can reach by its specification.
  package static let largestRatio = 1032

  /// Decompresses a stream to at most `byteCount` bytes, for which memory is allocated first.
  package static func inflate(_ bytes: RawSpan, _ frame: Frame, byteCount: Int) -> Outcome {
    var (isComplete, usedCount) = (false, 0)
    let result = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
      unsafe bytes.withUnsafeBytes { input in
        // `count` is what zlib says it wrote, so all of it is initialized.
        (isComplete, usedCount, count) = unsafe inflate(input, frame, output)
      }
    }
    return Outcome(bytes: result, usedByteCount: usedCount, isComplete: isComplete)
  }

  private static func inflate(
    _ input: UnsafeRawBufferPointer, _ frame: Frame, _ output: UnsafeMutableBufferPointer<UInt8>
  ) -> (isComplete: Bool, usedCount: Int, producedCount: Int) {
    var stream = unsafe z_stream()
    let size = unsafe Int32(MemoryLayout<z_stream>.size)
    let window = frame == .zlib ? MAX_WBITS : -MAX_WBITS
    guard unsafe inflateInit2_(&stream, window, ZLIB_VERSION, size) == Z_OK else {
      return (false, 0, 0)
    }
    defer { unsafe inflateEnd(&stream) }
    var placeholder: UInt8 = 0  // a valid destination when the output is empty
    var (usedCount, producedCount) = (0, 0)
    while true {
      // The library counts in 32 bits, so large buffers are passed in parts.
      let available = min(input.count - usedCount, 1 << 30)
      let capacity = min(output.count - producedCount, 1 << 30)
      unsafe stream.next_in = unsafe UnsafeMutablePointer(
        mutating: input.bindMemory(to: UInt8.self).baseAddress.map { unsafe $0 + usedCount })
      unsafe stream.avail_in = UInt32(available)
      unsafe stream.avail_out = UInt32(capacity)
      let status = unsafe withUnsafeMutablePointer(to: &placeholder) { placeholder in
        unsafe stream.next_out =
          unsafe output.baseAddress.map { unsafe $0 + producedCount } ?? placeholder
        return unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
      }
      unsafe usedCount += available - Int(stream.avail_in)
      unsafe producedCount += capacity - Int(stream.avail_out)
      if status == Z_STREAM_END { return (true, usedCount, producedCount) }
      let madeProgress = unsafe available > Int(stream.avail_in) || capacity > Int(stream.avail_out)
      guard status == Z_OK || status == Z_BUF_ERROR, madeProgress else {
        return (false, usedCount, producedCount)
      }
    }
  }
}
