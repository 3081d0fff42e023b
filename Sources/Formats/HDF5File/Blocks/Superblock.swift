import Bytes

/// The first block of an HDF5 file (HDF5 file format specification 3.0, section II.A).
struct Superblock: Sendable {
  /// The offset to which addresses are relative: that of the superblock. The bytes before it are
  /// the user block.
  let baseAddress: Int
  let widths: Cursor.Widths
  /// The address of the root group's object header.
  let rootAddress: Int
  /// The address of the object header of the superblock extension; versions 2 and 3.
  let extensionAddress: Int?
  /// The address of the driver information block; versions 0 and 1.
  let driverAddress: Int?

  /// The eight bytes that every HDF5 file has at 0, 512, 1024 or a later power of two.
  private static let signature: [UInt8] = [0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Returns the offset of the signature, if there is one.
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

  /// Reads the superblock and compares the end of file in it with the file's size.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none, the file is cut off or was
  ///   not closed; ``WeighbridgeError/Code/unsupported`` for an unknown version.
  init(in file: FileBytes) throws(WeighbridgeError) {
    let found = file.store.withBytes { Self.find(in: $0.extracting(file.byteRange)) }
    guard let found else {
      throw .malformed(
        file.count == 0 ? "is empty" : "is not an HDF5 file: it has no HDF5 signature")
    }
    var cursor = try file.beginning(at: found, atMost: 128, of: "the superblock")
    let superblock = cursor
    try cursor.skip(8)
    let field = cursor
    let version = try cursor.byte()
    guard version <= 3 else {
      throw field.failure(
        "has an HDF5 superblock of version \(version); versions 0 to 3 can be read", .unsupported)
    }
    if version < 2 { try cursor.skip(4) }
    widths = try Self.widths(&cursor)
    cursor.widths = widths
    var fields = try Self.fields(cursor, version)
    let storedBase = try fields.address(of: "the superblock's base")
    let secondAddress = try fields.address()
    let end = try fields.address(of: "the end of file in the superblock")
    baseAddress = found
    if version < 2 {
      extensionAddress = nil
      driverAddress = try fields.address()
      try fields.skip(widths.offset)  // the offset of the root group's name, which is unused
      rootAddress = try fields.address(of: "the root group")
    } else {
      extensionAddress = secondAddress
      driverAddress = nil
      rootAddress = try fields.address(of: "the root group")
      var block = superblock
      block = try block.slice(fields.fileOffset - found + 4)
      try block.checkChecksum(of: "the superblock")
    }
    // If the superblock moved with its file, all addresses are shifted by the same amount.
    let (endOfFile, overflow) = end.addingReportingOverflow(found - storedBase)
    guard !overflow, endOfFile <= file.count else {
      throw .malformed(
        "is cut off: it has \(file.count) bytes, but its superblock says \(endOfFile)")
    }
  }

  private static func widths(
    _ cursor: inout Cursor
  ) throws(WeighbridgeError) -> Cursor.Widths {
    let field = cursor
    let widths = Cursor.Widths(offset: Int(try cursor.byte()), length: Int(try cursor.byte()))
    for width in [widths.offset, widths.length] where ![2, 4, 8].contains(width) {
      throw field.failure(
        "has HDF5 addresses of \(width) bytes; 2, 4 and 8 can be read", .unsupported)
    }
    return widths
  }

  /// Returns a cursor at the base address field.
  private static func fields(
    _ cursor: Cursor, _ version: UInt8
  ) throws(WeighbridgeError) -> Cursor {
    var cursor = cursor
    if version < 2 {
      try cursor.skip(version == 0 ? 9 : 13)  // the B-trees' ranks and flags
      return cursor
    }
    let flags = try cursor.byte()
    guard version == 2 || flags & 0b101 == 0 else {
      throw .malformed(
        "is still being written, or was not closed by the program that wrote it; when none has it "
          + "open, HDF5's h5clear -s makes it readable")
    }
    return cursor
  }
}
