import CSystemCalls

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes at given offsets of a file that another value keeps open; several threads may do so at
/// once.
package struct PositionalWriter: Sendable {
  let descriptor: Int32
  let path: String

  /// Writes bytes at an offset.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, for example when the disk is full;
  ///   ``WeighbridgeError/Code/truncated`` when the bytes are those of a mapped file that was
  ///   truncated meanwhile.
  package func write(_ bytes: RawSpan, at offset: Int) throws(WeighbridgeError) {
    let failure = unsafe bytes.withUnsafeBytes { buffer -> Int32 in
      var writtenCount = 0
      while writtenCount < buffer.count {
        // In bounds: `writtenCount` never exceeds the buffer's count.
        let written = unsafe pwrite(
          descriptor, buffer.baseAddress.map { unsafe $0 + writtenCount },
          buffer.count - writtenCount,
          off_t(offset + writtenCount))
        if written > 0 {
          writtenCount += written
          continue
        }
        // A write of 0 bytes sets no error, and retrying it could go on forever.
        guard written < 0 else { return EIO }
        guard errno == EINTR else { return errno }
      }
      return 0
    }
    // Memory that cannot be read: a mapped file was truncated.
    if failure == EFAULT {
      throw .truncated("a file was cut short while it was read")
    }
    if failure != 0 {
      throw .outputFailed("cannot write: \(describe(systemError: failure))").at(file: path)
    }
  }

  /// Starts writing a finished range to the disk in the background.
  package func startWriting(_ range: Range<Int>) {
    _ = system_start_writing(descriptor, Int64(range.lowerBound), Int64(range.count))
  }
}
