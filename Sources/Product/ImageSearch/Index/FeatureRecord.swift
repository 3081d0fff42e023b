/// The stored form of a feature vector: float32 elements and a digest of them, little-endian.
enum FeatureRecord {
  static func bytes(_ features: [Float]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(features.count * 4 + 16)
    for number in features { bytes.append(littleEndian: Int(number.bitPattern), byteCount: 4) }
    return StoredDigest.appended(to: bytes)
  }

  /// Returns the vector; `nil` when the bytes are not those that were written.
  static func features(_ record: RawSpan) -> [Float]? {
    guard let size = StoredDigest.checkedSize(record), size % 4 == 0 else { return nil }
    return (0..<size / 4).map { index in
      // This is inside the record, whose size was checked.
      unsafe Float(
        bitPattern: UInt32(
          littleEndian: record.unsafeLoadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
    }
  }
}
