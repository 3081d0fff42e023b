import Bytes

extension ZipDirectory {
  /// The distance from the end within which the directory is searched for.
  private static let searchByteCount = 1 << 18
  /// The largest number of names.
  private static let nameLimit = 256

  /// Returns the names of members that can be read, to identify an archive: from the directory or
  /// from the first local header, even if other parts are damaged or not supported.
  ///
  /// - Returns: At most 256 names; none if the bytes do not begin like an archive.
  package static func names(_ bytes: RawSpan) -> [String] {
    guard isMagic(bytes) else { return [] }
    var names: [String] = []
    var offset = max(0, bytes.byteCount - searchByteCount)
    while offset + 46 <= bytes.byteCount, names.count < nameLimit {
      guard let name = centralName(bytes, at: offset) else {
        offset += 1
        continue
      }
      names.append(String(decoding: name, as: UTF8.self))
      offset += 46 + name.count
    }
    return names.isEmpty ? firstName(bytes).map { [$0] } ?? [] : names
  }

  /// Returns the name in a directory entry at an offset, if there is one.
  private static func centralName(_ bytes: RawSpan, at offset: Int) -> [UInt8]? {
    guard bytes[byte: offset] == 0x50 else { return nil }
    var cursor = ByteCursor(offset..<bytes.byteCount)
    guard (try? cursor.integer(UInt32.self, from: bytes)) == centralSignature,
      (try? cursor.skip(24, in: bytes)) != nil,
      let count = try? cursor.integer(UInt16.self, from: bytes),
      (try? cursor.skip(16, in: bytes)) != nil
    else { return nil }
    return try? cursor.bytes(Int(count), from: bytes)
  }
}
