import Bytes
import Digests

/// What writing a new file and editing one have in common.
enum WBMHeaderWriting {
  /// Writes preamble and header into the room before the tensor data, and reads them back.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` when what is read back is not the same.
  static func writeHeader(
    _ header: WBMHeader, version: WBMVersion, tensorDataOffset: Int, to file: borrowing AtomicFile
  ) throws(WeighbridgeError) {
    let bytes = try header.serialized()
    let preamble = WBMPreamble(
      version: version, headerByteCount: bytes.count, tensorDataOffset: tensorDataOffset,
      fileByteCount: file.count, headerDigest: XXH3Digest(of: bytes.span.bytes))
    var front = preamble.serialized + bytes
    front += [UInt8](repeating: 0, count: tensorDataOffset - front.count)
    try file.write(front.span.bytes, at: 0)
    let path = file.path
    try file.withWrittenBytes { (written) throws(WeighbridgeError) in
      try compare(written, with: bytes, path)
    }
  }

  /// Parses what was written and serializes it again: the same bytes prove that it is readable and
  /// that nothing was lost.
  private static func compare(
    _ written: RawSpan, with header: [UInt8], _ path: String
  ) throws(WeighbridgeError) {
    do throws(WeighbridgeError) {
      var limits = WBMFile.Limits()
      limits.headerByteCount = max(limits.headerByteCount, header.count)
      let (_, parsed) = try WBMFile.parse(written, limits: limits)
      guard try parsed.serialized() == header else {
        throw WeighbridgeError(.outputFailed, "a header that was read back differs")
      }
    } catch {
      throw WeighbridgeError(.outputFailed, "the file does not read back: \(error.reason)")
        .at(file: path)
    }
  }
}
