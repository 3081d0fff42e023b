package import Bytes
import ZipArchive

extension TFLiteFile {
  /// The largest number of files after a model, and the largest size of one in bytes.
  private static let limits = (count: 1000, byteCount: 1 << 24)
  /// The number of bytes at the end of the FlatBuffer to which nothing may refer: zeros, or a table
  /// that TensorFlow 1 leaves behind.
  private static let largestRemainder = 16

  /// Reads the files in the ZIP archive that follows the model, by their names.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for other bytes after the model, and for a file
  ///   whose path leads out of the archive's folder; ``WeighbridgeError/Code/limitExceeded``.
  package func associatedFiles() throws(WeighbridgeError) -> [String: [UInt8]] {
    guard let (start, directory) = try archive() else { return [:] }
    let archive =
      start == 0 ? store : ByteStore(store.withBytes { $0.copied(start..<store.count) })
    var (memory, files) = (Self.limits.byteCount, [String: [UInt8]]())
    for member in directory.members {
      let parts = member.name.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.first?.isEmpty == false, !parts.contains(".."), !member.name.contains("\\") else {
        throw .malformed(
          "is followed by an archive with the file \(member.name), which is outside of the folder "
            + "that it would be unpacked to")
      }
      let (contents, range) = try ZipReader.contents(
        of: member, in: archive, memory: &memory)
      files[member.name] = contents.withBytes { $0.copied(range) }
    }
    return files
  }

  /// The archive after the FlatBuffer: the byte from which its offsets count, and its directory;
  /// `nil` if nothing follows.
  private func archive() throws(WeighbridgeError) -> (start: Int, directory: ZipDirectory)? {
    let rest = store.count - end
    if rest <= Self.largestRemainder { return nil }
    return try store.withBytes { (bytes) throws(WeighbridgeError) in
      var start = end
      while start < store.count, start < end + Self.largestRemainder,
        !ZipDirectory.isMagic(bytes.extracting(start..<store.count))
      {
        start += 1
      }
      guard start < store.count, start < end + Self.largestRemainder else {
        throw .malformed("is followed by \(rest) bytes that are no ZIP archive").at(.byte(end))
      }
      // Python's writer counts from the beginning of the file, others from that of the archive.
      if let directory = try? ZipDirectory(bytes, memberLimit: Self.limits.count) {
        return (0, directory)
      }
      let archive = bytes.extracting(start..<store.count)
      return (start, try ZipDirectory(archive, memberLimit: Self.limits.count))
    }
  }
}
