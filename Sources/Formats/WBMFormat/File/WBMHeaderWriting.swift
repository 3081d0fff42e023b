import Bytes
import Digests

/// The common part of writing a new file and editing one.
enum WBMHeaderWriting {
  /// Returns the header as it is written, and the offset of the tensor data after it.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the header breaks a rule,
  ///   ``WeighbridgeError/Code/unsupported`` when a string contains a NUL,
  ///   ``WeighbridgeError/Code/limitExceeded`` when no reader would accept it.
  static func prepared(
    _ header: WBMHeader
  ) throws(WeighbridgeError) -> (header: WBMHeader, tensorDataOffset: Int) {
    let header = header.sorted()
    try header.checkRules()
    let count = try header.serializedByteCount()
    let limit = WBMFile.Limits().headerByteCount
    guard count <= limit else {
      throw .limitExceeded("the header would take \(count) bytes, over the limit of \(limit)")
    }
    return (header, try WBMPreamble.tensorDataOffset(headerByteCount: count))
  }

  /// Writes the preamble and the header into the space before the tensor data, and reads them back.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` when they are not the same.
  static func writeHeader(
    _ header: WBMHeader, version: WBMVersion, tensorDataOffset: Int, to file: borrowing AtomicFile
  ) throws(WeighbridgeError) {
    let bytes = try header.serialized()
    let preamble = unsafe WBMPreamble(
      version: version, headerByteCount: bytes.count, tensorDataOffset: tensorDataOffset,
      fileByteCount: file.count, headerDigest: XXH3Digest(of: bytes.span.bytes))
    var prefix = preamble.serialized + bytes
    prefix += [UInt8](repeating: 0, count: tensorDataOffset - prefix.count)
    try unsafe file.write(prefix.span.bytes, at: 0)
    let path = file.path
    try file.withWrittenBytes { (written) throws(WeighbridgeError) in
      try compare(written, with: bytes, path)
    }
  }

  /// Parses the written file and serializes its header again. Equal bytes prove that the file is
  /// readable and that nothing was lost.
  private static func compare(
    _ written: RawSpan, with header: [UInt8], _ path: String
  ) throws(WeighbridgeError) {
    do throws(WeighbridgeError) {
      let (_, parsed) = try WBMFile.parse(written, limits: WBMFile.Limits())
      guard try parsed.serialized() == header else {
        throw .outputFailed("the header differs when read back")
      }
    } catch {
      throw .outputFailed("the file does not read back: \(error.reason)").at(file: path)
    }
  }
}
