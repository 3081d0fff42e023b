import Bytes

/// The first block of an HDF5 file, as far as it says where the file ends (HDF5 file format
/// specification 3.0, section II.A).
struct HDF5Superblock {
  /// Where the superblock begins; what is before it belongs to somebody else (the user block).
  let offset: Int
  /// The size that the whole file must have, in bytes.
  let endOfFile: Int

  /// The eight bytes that every HDF5 file has at 0, 512, 1024 or a later power of two.
  private static let signature: [UInt8] = [0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The offset of the signature, if there is one.
  static func find(in bytes: RawSpan) -> Int? {
    var offset = 0
    while offset <= bytes.byteCount - signature.count {
      if signature.indices.allSatisfy({ bytes[byte: offset + $0] == signature[$0] }) {
        return offset
      }
      let (next, overflow) = max(offset, 256).multipliedReportingOverflow(by: 2)
      guard !overflow else { return nil }
      offset = next
    }
    return nil
  }

  /// Reads the superblock and compares its end of file with the file's size.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none, or the file is cut off;
  ///   ``WeighbridgeError/Code/unsupported`` for a version that is not known.
  init(in bytes: RawSpan) throws(WeighbridgeError) {
    guard let offset = Self.find(in: bytes) else {
      throw WeighbridgeError(
        .malformed,
        bytes.byteCount == 0 ? "is empty" : "is not an HDF5 file: it has no HDF5 signature")
    }
    self.offset = offset
    var cursor = ByteCursor(offset + 8..<bytes.byteCount)
    let version: UInt8 = try cursor.integer(from: bytes)
    switch version {
    case 0, 1:
      _ = try cursor.skip(4, in: bytes)
      let width: UInt8 = try cursor.integer(from: bytes)
      _ = try cursor.skip(version == 0 ? 10 : 14, in: bytes)
      endOfFile = try Self.endOfFile(after: 2, width: width, &cursor, bytes)
    case 2, 3:
      let width: UInt8 = try cursor.integer(from: bytes)
      _ = try cursor.skip(2, in: bytes)
      endOfFile = try Self.endOfFile(after: 2, width: width, &cursor, bytes)
    default:
      throw WeighbridgeError(
        .unsupported, "has an HDF5 superblock of version \(version); versions 0 to 3 can be read"
      ).at(.byte(offset + 8))
    }
    guard endOfFile <= bytes.byteCount else {
      throw WeighbridgeError(
        .malformed,
        "is cut off: it has \(bytes.byteCount) bytes and its superblock says \(endOfFile)")
    }
  }

  /// Reads the address that follows `count` others, each `width` bytes wide.
  private static func endOfFile(
    after count: Int, width: UInt8, _ cursor: inout ByteCursor, _ bytes: RawSpan
  ) throws(WeighbridgeError) -> Int {
    guard [2, 4, 8].contains(width) else {
      throw WeighbridgeError(
        .unsupported, "has HDF5 addresses of \(width) bytes; 2, 4 and 8 can be read")
    }
    _ = try cursor.skip(count * Int(width), in: bytes)
    let place = try cursor.skip(Int(width), in: bytes)
    var end: UInt64 = 0
    for index in place.reversed() { end = end << 8 | UInt64(bytes[byte: index]) }
    return try Checked.count(end, of: "the end of file in the superblock")
  }
}
