package import Bytes

/// Writes a ZIP archive of stored members, always the same bytes for the same members.
package struct ZipWriter: ~Copyable {
  /// 1 January 1980, midnight: the earliest date of the format.
  private static let date = 0x0021
  private static let versionNeeded = 20
  private static let versionNeeded64 = 45
  /// The largest size or offset that fits without ZIP64.
  package static let largestPlain = Int(UInt32.max) - 1

  private struct Entry {
    let name: [UInt8]
    let byteCount: Int
    let offset: Int
    var crc: UInt32 = 0
  }

  private var file: AtomicFile
  private let largest: Int
  private var entries: [Entry] = []

  /// Begins an archive.
  ///
  /// - Parameter largest: The largest size or offset written without ZIP64; tests lower it.
  package init(path: String, largest: Int = largestPlain) throws(WeighbridgeError) {
    file = try AtomicFile(path: path)
    self.largest = largest
  }

  /// Begins a member whose size is known.
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

  /// Ends the current member: its local header is written in the space left for it.
  package mutating func end() throws(WeighbridgeError) {
    let entry = entries[entries.count - 1]
    let header = localHeader(entry)
    precondition(file.count == entry.offset + header.count + entry.byteCount, "another size")
    try file.write(header.span.bytes, at: entry.offset)
  }

  /// Writes the directory and puts the archive in place after reading it back.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    let start = file.count
    for entry in entries { try file.append(centralHeader(entry).span.bytes) }
    try file.append(endRecords(directory: start..<file.count, at: file.count).span.bytes)
    let (count, path) = (entries.count, file.path)
    try file.withWrittenBytes { (bytes) throws(WeighbridgeError) in
      guard try ZipDirectory(bytes, memberLimit: count).members.count == count else {
        throw .outputFailed("an archive that was read back differs").at(file: path)
      }
    }
    try file.commit(replacing: replacing)
  }

  private func localHeader(_ entry: Entry) -> [UInt8] {
    let isLarge = entry.byteCount > largest
    var bytes: [UInt8] = []
    bytes.append(littleEndian: Int(ZipDirectory.localSignature), byteCount: 4)
    appendCommon(entry, isLarge: isLarge, sizesAreLarge: isLarge, to: &bytes)
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
    let (isLarge, isFar) = (entry.byteCount > largest, entry.offset > largest)
    var large: [UInt8] = []
    if isLarge {
      large.append(littleEndian: entry.byteCount, byteCount: 8)
      large.append(littleEndian: entry.byteCount, byteCount: 8)
    }
    if isFar { large.append(littleEndian: entry.offset, byteCount: 8) }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: Int(ZipDirectory.centralSignature), byteCount: 4)
    bytes.append(littleEndian: Self.versionNeeded64, byteCount: 2)
    appendCommon(entry, isLarge: isLarge || isFar, sizesAreLarge: isLarge, to: &bytes)
    bytes.append(littleEndian: large.isEmpty ? 0 : large.count + 4, byteCount: 2)
    bytes.append(littleEndian: 0, byteCount: 10)  // comment, disk, attributes
    bytes.append(littleEndian: isFar ? Int(UInt32.max) : entry.offset, byteCount: 4)
    bytes += entry.name
    if !large.isEmpty {
      bytes.append(littleEndian: 1, byteCount: 2)
      bytes.append(littleEndian: large.count, byteCount: 2)
      bytes += large
    }
    return bytes
  }

  /// Appends the common part of both headers of a member, from the version to the length of the
  /// name.
  private func appendCommon(
    _ entry: Entry, isLarge: Bool, sizesAreLarge: Bool, to bytes: inout [UInt8]
  ) {
    let size = sizesAreLarge ? Int(UInt32.max) : entry.byteCount
    let isASCII = entry.name.allSatisfy { $0 < 0x80 }
    bytes.append(littleEndian: isLarge ? Self.versionNeeded64 : Self.versionNeeded, byteCount: 2)
    bytes.append(littleEndian: isASCII ? 0 : 0x800, byteCount: 2)
    bytes.append(littleEndian: 0, byteCount: 4)  // stored; midnight
    bytes.append(littleEndian: Self.date, byteCount: 2)
    bytes.append(littleEndian: Int(entry.crc), byteCount: 4)
    bytes.append(littleEndian: size, byteCount: 4)
    bytes.append(littleEndian: size, byteCount: 4)
    bytes.append(littleEndian: entry.name.count, byteCount: 2)
  }

  private func endRecords(directory: Range<Int>, at end: Int) -> [UInt8] {
    let isLarge =
      directory.lowerBound > largest || directory.count > largest
      || entries.count > min(largest, Int(UInt16.max) - 1)
    var bytes: [UInt8] = []
    if isLarge {
      bytes.append(littleEndian: 0x0606_4B50, byteCount: 4)
      bytes.append(littleEndian: 44, byteCount: 8)
      bytes.append(littleEndian: Self.versionNeeded64, byteCount: 2)
      bytes.append(littleEndian: Self.versionNeeded64, byteCount: 2)
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
    let count = isLarge ? Int(UInt16.max) : entries.count
    bytes.append(littleEndian: count, byteCount: 2)
    bytes.append(littleEndian: count, byteCount: 2)
    bytes.append(littleEndian: isLarge ? Int(UInt32.max) : directory.count, byteCount: 4)
    bytes.append(littleEndian: isLarge ? Int(UInt32.max) : directory.lowerBound, byteCount: 4)
    bytes.append(littleEndian: 0, byteCount: 2)
    return bytes
  }
}
