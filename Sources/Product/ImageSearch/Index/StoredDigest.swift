import Digests

/// The XXH3-128 digest after each record, since SQLite itself does not check contents.
enum StoredDigest {
  private static let size = 16

  static func appended(to bytes: [UInt8]) -> [UInt8] {
    unsafe bytes + XXH3Digest(of: bytes.span.bytes).bytes
  }

  /// Returns the number of bytes before the digest; `nil` when the digest does not match them.
  static func checkedSize(_ stored: RawSpan) -> Int? {
    let count = stored.byteCount - size
    guard count >= 0 else { return nil }
    let digest = XXH3Digest(of: stored.extracting(0..<count)).bytes
    for index in 0..<size
    where unsafe stored.unsafeLoad(fromByteOffset: count + index, as: UInt8.self) != digest[index] {
      return nil
    }
    return count
  }
}
