package import Bytes
package import Digests

/// The first 64 bytes of a `.wbm` file, which `Schemas/wbm.md` lists in a table.
package struct WBMPreamble: Hashable, Sendable {
  /// The size of the preamble in bytes; the header follows it.
  package static let byteCount = 64
  /// The alignment of the tensor data and of each tensor, in bytes.
  package static let alignment = 64
  /// The version that this module writes, and the only major version that it reads.
  package static let currentVersion = WBMVersion(major: 1, minor: 0)
  /// The first 8 bytes. The first has its highest bit set, and the others contain both line endings
  /// and the end-of-file character of old terminals, so that any damage by a transfer in text mode
  /// is detected.
  package static let magic: [UInt8] = [0xD7] + magicTail
  /// The first 8 bytes of the files written by previews of Weighbridge.
  static let previewMagic: [UInt8] = [0x89] + magicTail
  private static let magicTail: [UInt8] = [0x57, 0x42, 0x4D, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The version of the file.
  package var version: WBMVersion
  /// The size of the header in bytes.
  package var headerByteCount: Int
  /// The offset of the tensor data.
  package var tensorDataOffset: Int
  /// The size of the whole file in bytes.
  package var fileByteCount: Int
  /// The digest of the header.
  package var headerDigest: XXH3Digest

  /// Returns the offset of the tensor data after a header of a given size.
  package static func tensorDataOffset(
    headerByteCount: Int
  ) throws(WeighbridgeError) -> Int {
    try aligned(Checked.sum(byteCount, headerByteCount, of: "the end of the header"))
  }

  /// Rounds an offset up to a multiple of ``alignment``.
  package static func aligned(_ offset: Int) throws(WeighbridgeError) -> Int {
    try Checked.sum(offset, alignment - 1, of: "an offset") / alignment * alignment
  }
}

/// The version of the file format.
package struct WBMVersion: Hashable, Sendable, CustomStringConvertible {
  /// Readers reject a newer one.
  package var major: Int
  /// Readers accept a newer one if the file has no unknown parts outside the description and the
  /// provenance.
  package var minor: Int

  /// Creates a version.
  package init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// For example `1.0`.
  package var description: String { "\(major).\(minor)" }
}

extension WBMPreamble {
  /// The preamble's 64 bytes.
  package var serialized: [UInt8] {
    var bytes = Self.magic
    bytes.append(littleEndian: UInt16(version.major))
    bytes.append(littleEndian: UInt16(version.minor))
    bytes.append(littleEndian: UInt32(0))
    bytes.append(littleEndian: UInt64(headerByteCount))
    bytes.append(littleEndian: UInt64(tensorDataOffset))
    bytes.append(littleEndian: UInt64(fileByteCount))
    bytes += headerDigest.bytes
    return unsafe bytes + XXH3Digest(of: bytes.span.bytes).bytes.prefix(8)
  }

  /// Reads and checks the preamble of a whole file, in the order of `Schemas/wbm.md`.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``, ``WeighbridgeError/Code/truncated``,
  ///   ``WeighbridgeError/Code/damaged``; ``WeighbridgeError/Code/unsupported`` for another major
  ///   version, for flags, and for a file written by a preview.
  package init(_ file: RawSpan) throws(WeighbridgeError) {
    try Self.checkMagic(file)
    try Self.checkLength(file, atLeast: 10)
    var cursor = ByteCursor(Self.magic.count..<file.byteCount)
    let major = Int(try cursor.integer(UInt16.self, from: file))
    guard major == Self.currentVersion.major else {
      throw .unsupported(
        "is a .wbm file of version \(major); this program reads version \(Self.currentVersion.major)"
      ).at(.byte(8))
    }
    try Self.checkLength(file, atLeast: Self.byteCount)
    try Self.checkChecksum(file)
    version = WBMVersion(
      major: major, minor: Int(try cursor.integer(UInt16.self, from: file)))
    let flags = try cursor.integer(UInt32.self, from: file)
    guard flags == 0 else {
      throw .unsupported("has the flags \(flags); version 1 has none").at(.byte(12))
    }
    headerByteCount = try Checked.count(
      cursor.integer(UInt64.self, from: file), of: "the size of the header")
    tensorDataOffset = try Checked.count(
      cursor.integer(UInt64.self, from: file), of: "the offset of the tensor data")
    fileByteCount = try Checked.count(
      cursor.integer(UInt64.self, from: file), of: "the size of the file")
    guard let digest = XXH3Digest(try cursor.bytes(16, from: file)) else {
      throw .malformed("has no digest of its header")
    }
    headerDigest = digest
    try checkSizes(file.byteCount)
  }

  /// Whether a file begins like a `.wbm` file, including those of previews.
  package static func isMagic(_ file: RawSpan) -> Bool {
    guard file.byteCount >= magic.count else { return false }
    return [magic, previewMagic].contains(file.copied(0..<magic.count))
  }

  private static func checkMagic(_ file: RawSpan) throws(WeighbridgeError) {
    let start = file.copied(0..<min(magic.count, file.byteCount))
    if magic.starts(with: start) { return }
    guard start != previewMagic else {
      throw .unsupported("was written by a preview of Weighbridge; convert the source again")
        .at(.byte(0))
    }
    let letters = Array(magic[1...3])
    let isDamaged = file.byteCount >= 4 && file.copied(1..<4) == letters
    throw .malformed(
      isDamaged
        ? "was a .wbm file whose first bytes were changed, for example by a transfer in text mode"
        : "is not a .wbm file: it does not begin with the .wbm signature"
    ).at(.byte(0))
  }

  private static func checkLength(
    _ file: RawSpan, atLeast byteCount: Int
  ) throws(WeighbridgeError) {
    guard file.byteCount >= byteCount else {
      throw .truncated("is cut off: it has \(file.byteCount) bytes, but the preamble alone has 64")
    }
  }

  private static func checkChecksum(_ file: RawSpan) throws(WeighbridgeError) {
    let expected = XXH3Digest(of: file.extracting(0..<56)).bytes.prefix(8)
    guard file.copied(56..<64) == Array(expected) else {
      throw .damaged("has a damaged preamble: its checksum does not match").at(.byte(0))
    }
  }

  private func checkSizes(_ actual: Int) throws(WeighbridgeError) {
    guard actual == fileByteCount else {
      let isShort = actual < fileByteCount
      let what = isShort ? "is cut off" : "has trailing bytes"
      throw WeighbridgeError(
        isShort ? .truncated : .malformed,
        "\(what): it has \(actual) bytes, but its preamble says \(fileByteCount)")
    }
    let expected = try Self.tensorDataOffset(headerByteCount: headerByteCount)
    guard tensorDataOffset == expected, expected <= fileByteCount else {
      throw .malformed(
        "puts the tensor data at byte \(tensorDataOffset) of \(fileByteCount), but it must begin "
          + "at \(expected), after the header of \(headerByteCount) bytes"
      ).at(.byte(24))
    }
  }
}

extension [UInt8] {
  /// Appends an integer, least significant byte first.
  fileprivate mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
    for shift in stride(from: 0, to: Value.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> Value(shift)))
    }
  }
}
