package import Bytes

/// Writes a ZIP archive of uncompressed members; the same members always give the same bytes.
package struct ZipWriter: ~Copyable {
  /// 1 January 1980, midnight: the earliest date of the format.
  private static let date = 0x0021
  private static let versionNeeded = 20
  private static let versionNeededForZIP64 = 45
  /// The largest size or offset that fits without ZIP64.
  package static let largestWithoutZIP64 = Int(UInt32.max) - 1

  private struct Entry {
    let name: [UInt8]
    let byteCount: Int
    let offset: Int
    var crc: UInt32 = 0
  }

  private var file: AtomicFile
  /// The largest size or offset written without ZIP64.
  private let zip64Threshold: Int
  private var entries: [Entry] = []

  /// Creates an archive.
  ///
  /// - Parameter largest: The largest size or offset written without ZIP64; tests lower it.
  package init(path: String, largest: Int = largestWithoutZIP64) throws(WeighbridgeError) {
    self.init(appendingTo: try AtomicFile(path: path), largest: largest)
  }

  /// Creates an archive after what a file already contains; its offsets count from the start of the
  /// file.
  package init(appendingTo file: consuming AtomicFile, largest: Int = largestWithoutZIP64) {
    self.file = file
    zip64Threshold = largest
  }

  /// Adds a member.
  package mutating func add(_ name: String, _ bytes: [UInt8]) throws(WeighbridgeError) {
    try begin(name, byteCount: bytes.count)
    try unsafe append(bytes.span.bytes)
    try end()
  }

  /// Begins a member of known size.
  package mutating func begin(_ name: String, byteCount: Int) throws(WeighbridgeError) {
    let entry = Entry(name: Array(name.utf8), byteCount: byteCount, offset: file.count)
    entries.append(entry)
    file.skip(localHeader(entry).count)
  }

  /// Appends bytes of the current member.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    let last = entries.count - 1
    entries[last].crc = ZipReader.checksum(bytes, after: entries[last].crc)
    try file.append(bytes)
  }

  /// Ends the current member by writing its local header into the space reserved for it.
  package mutating func end() throws(WeighbridgeError) {
    let entry = entries[entries.count - 1]
    let header = localHeader(entry)
    precondition(file.count == entry.offset + header.count + entry.byteCount, "another size")
    try unsafe file.write(header.span.bytes, at: entry.offset)
  }

  /// Writes the directory and puts the archive in place after reading it back.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    let start = file.count
    for entry in entries { try unsafe file.append(centralHeader(entry).span.bytes) }
    try unsafe file.append(endRecords(directory: start..<file.count, at: file.count).span.bytes)
    let (count, path) = (entries.count, file.path)
    try file.withWrittenBytes { (bytes) throws(WeighbridgeError) in
      guard try ZipDirectory(bytes, memberLimit: count).members.count == count else {
        throw .outputFailed("the archive differs when read back").at(file: path)
      }
    }
    try file.commit(replacing: replacing)
  }

  private func localHeader(_ entry: Entry) -> [UInt8] {
    let isLarge = entry.byteCount > zip64Threshold
    var bytes: [UInt8] = []
    bytes.append(littleEndian: Int(ZipDirectory.localSignature), byteCount: 4)
    appendCommon(entry, usesZIP64: isLarge, hasLargeSize: isLarge, to: &bytes)
    bytes.append(littleEndian: isLarge ? 20 : 0, byteCount: 2)
    bytes += entry.name
    if isLarge {
      bytes.append(littleEndian: 1, byteCount: 2)
      bytes.append(littleEndian: 16, byteCount: 2)
      bytes.append(littleEndian: entry.byteCount, byteCount: 8)
      bytes.append(littleEndian: entry.byteCount, byteCount: 8)
    }
    return bytes
  }

  private func centralHeader(_ entry: Entry) -> [UInt8] {
    let hasLargeSize = entry.byteCount > zip64Threshold
    let hasLargeOffset = entry.offset > zip64Threshold
    var zip64Fields: [UInt8] = []
    if hasLargeSize {
      zip64Fields.append(littleEndian: entry.byteCount, byteCount: 8)
      zip64Fields.append(littleEndian: entry.byteCount, byteCount: 8)
    }
    if hasLargeOffset { zip64Fields.append(littleEndian: entry.offset, byteCount: 8) }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: Int(ZipDirectory.centralSignature), byteCount: 4)
    bytes.append(littleEndian: Self.versionNeededForZIP64, byteCount: 2)
    appendCommon(
      entry, usesZIP64: hasLargeSize || hasLargeOffset, hasLargeSize: hasLargeSize, to: &bytes)
    bytes.append(littleEndian: zip64Fields.isEmpty ? 0 : zip64Fields.count + 4, byteCount: 2)
    bytes.append(littleEndian: 0, byteCount: 10)  // comment, disk, attributes
    bytes.append(littleEndian: hasLargeOffset ? Int(UInt32.max) : entry.offset, byteCount: 4)
    bytes += entry.name
    if !zip64Fields.isEmpty {
      bytes.append(littleEndian: 1, byteCount: 2)
      bytes.append(littleEndian: zip64Fields.count, byteCount: 2)
      bytes += zip64Fields
    }
    return bytes
  }

  /// Appends the part that both headers of a member have in common, from the version to the length
  /// of the name.
  private func appendCommon(
    _ entry: Entry, usesZIP64: Bool, hasLargeSize: Bool, to bytes: inout [UInt8]
  ) {
    let size = hasLargeSize ? Int(UInt32.max) : entry.byteCount
    let isASCII = entry.name.allSatisfy { $0 < 0x80 }
    bytes.append(
      littleEndian: usesZIP64 ? Self.versionNeededForZIP64 : Self.versionNeeded, byteCount: 2)
    bytes.append(littleEndian: isASCII ? 0 : 0x800, byteCount: 2)
    bytes.append(littleEndian: 0, byteCount: 4)  // stored; midnight
    bytes.append(littleEndian: Self.date, byteCount: 2)
    bytes.append(littleEndian: Int(entry.crc), byteCount: 4)
    bytes.append(littleEndian: size, byteCount: 4)
    bytes.append(littleEndian: size, byteCount: 4)
    bytes.append(littleEndian: entry.name.count, byteCount: 2)
  }

  private func endRecords(directory: Range<Int>, at end: Int) -> [UInt8] {
    let usesZIP64 =
      directory.lowerBound > zip64Threshold || directory.count > zip64Threshold
      || entries.count > min(zip64Threshold, Int(UInt16.max) - 1)
    var bytes: [UInt8] = []
    if usesZIP64 {
      bytes.append(littleEndian: 0x0606_4B50, byteCount: 4)
      bytes.append(littleEndian: 44, byteCount: 8)
      bytes.append(littleEndian: Self.versionNeededForZIP64, byteCount: 2)
      bytes.append(littleEndian: Self.versionNeededForZIP64, byteCount: 2)
      bytes.append(littleEndian: 0, byteCount: 8)  // disks
      bytes.append(littleEndian: entries.count, byteCount: 8)
      bytes.append(littleEndian: entries.count, byteCount: 8)
      bytes.append(littleEndian: directory.count, byteCount: 8)
      bytes.append(littleEndian: directory.lowerBound, byteCount: 8)
      bytes.append(littleEndian: 0x0706_4B50, byteCount: 4)
      bytes.append(littleEndian: 0, byteCount: 4)
      bytes.append(littleEndian: end, byteCount: 8)
      bytes.append(littleEndian: 1, byteCount: 4)
    }
    bytes.append(littleEndian: Int(ZipDirectory.endSignature), byteCount: 4)
    bytes.append(littleEndian: 0, byteCount: 4)  // disks
    let count = usesZIP64 ? Int(UInt16.max) : entries.count
    bytes.append(littleEndian: count, byteCount: 2)
    bytes.append(littleEndian: count, byteCount: 2)
    bytes.append(littleEndian: usesZIP64 ? Int(UInt32.max) : directory.count, byteCount: 4)
    bytes.append(littleEndian: usesZIP64 ? Int(UInt32.max) : directory.lowerBound, byteCount: 4)
    bytes.append(littleEndian: 0, byteCount: 2)
    return bytes
  }
}
