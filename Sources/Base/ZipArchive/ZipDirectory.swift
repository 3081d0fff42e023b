package import Bytes

/// The central directory of a ZIP archive (APPNOTE 6.3, sections 4.3 to 4.5), with the features
/// that `.npz` and `.keras` files need.
package struct ZipDirectory: Sendable {
  /// A member of the archive.
  package struct Member: Sendable {
    /// The name: UTF-8 without control characters, unique in the archive. It must not be used as a
    /// path to write to.
    package let name: String
    let isDeflated: Bool
    let crc: UInt32
    let compressedByteCount: Int
    /// The uncompressed size in bytes.
    package let byteCount: Int
    /// The location of the member's stored bytes, after its local header.
    let range: Range<Int>
  }

  static let localSignature: UInt32 = 0x0403_4B50
  static let centralSignature: UInt32 = 0x0201_4B50
  static let endSignature: UInt32 = 0x0605_4B50

  /// The members, in the order of the directory.
  package let members: [Member]

  /// Whether bytes begin like a ZIP archive.
  package static func isMagic(_ bytes: RawSpan) -> Bool {
    var cursor = ByteCursor(0..<bytes.byteCount)
    let signature = try? cursor.integer(UInt32.self, from: bytes)
    return signature == localSignature || signature == endSignature
  }

  /// The name in the first local header, if there is one.
  package static func firstName(_ bytes: RawSpan) -> String? {
    var cursor = ByteCursor(0..<bytes.byteCount)
    guard let signature = try? cursor.integer(UInt32.self, from: bytes),
      signature == localSignature, (try? cursor.skip(22, in: bytes)) != nil,
      let length = try? cursor.integer(UInt16.self, from: bytes),
      (try? cursor.skip(2, in: bytes)) != nil,
      let name = try? cursor.bytes(Int(length), from: bytes)
    else { return nil }
    return String(validating: name, as: UTF8.self)
  }

  /// Reads the directory and finds each member.
  ///
  /// - Parameter memberLimit: The largest number of members.
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for
  ///   encryption and compression methods other than stored and deflated;
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package init(_ bytes: RawSpan, memberLimit: Int) throws(WeighbridgeError) {
    let end = try ZipEnd(bytes)
    guard end.memberCount <= memberLimit else {
      throw .limitExceeded("has \(end.memberCount) members, over the limit of \(memberLimit)")
    }
    var cursor = ByteCursor(end.directory)
    var members: [Member] = []
    var names: Set<[UInt8]> = []
    for _ in 0..<end.memberCount {
      let start = cursor.offset
      let entry = try ZipEntry(&cursor, bytes)
      do throws(WeighbridgeError) {
        let member = try Self.member(entry, bytes, end: end.directory.lowerBound)
        guard names.insert(Array(member.name.utf8)).inserted else {
          throw .malformed("is in the archive twice")
        }
        members.append(member)
      } catch {
        throw WeighbridgeError(error.code, "member \(entry.title) \(error.reason)").at(.byte(start))
      }
    }
    guard cursor.remaining == 0 else {
      throw .malformed("has a directory longer than its members").at(.byte(cursor.offset))
    }
    try Self.checkOverlap(members)
    self.members = members
  }

  private static func member(
    _ entry: ZipEntry, _ bytes: RawSpan, end: Int
  ) throws(WeighbridgeError) -> Member {
    guard entry.flags & 1 == 0 else {
      throw .unsupported(
        "is encrypted; only archives without encryption "
          + "can be read")
    }
    guard entry.method == 0 || entry.method == 8 else {
      throw .unsupported(
        "uses compression method \(entry.method); 0 (stored) and 8 (deflated) can be read")
    }
    guard entry.method == 8 || entry.compressedByteCount == entry.byteCount else {
      throw .malformed("is stored uncompressed, but its two sizes differ")
    }
    let name = try Self.name(entry)
    let start = try entry.dataStart(bytes, end: end)
    guard entry.compressedByteCount <= end - start else {
      throw .malformed("reaches into the directory, before which all members must end")
    }
    return Member(
      name: name, isDeflated: entry.method == 8, crc: entry.crc,
      compressedByteCount: entry.compressedByteCount, byteCount: entry.byteCount,
      range: start..<start + entry.compressedByteCount)
  }

  /// The member's name, which must be plain text.
  private static func name(_ entry: ZipEntry) throws(WeighbridgeError) -> String {
    let isUTF8 = entry.flags & 0x800 != 0
    guard let name = String(validating: entry.name, as: UTF8.self),
      isUTF8 || entry.name.allSatisfy({ $0 < 0x80 })
    else {
      throw .unsupported("has a name that is not UTF-8")
    }
    guard name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw .malformed("has control characters in its name, which must be text")
    }
    return name
  }

  /// Rejects overlapping members, which let a small archive decompress to huge data.
  private static func checkOverlap(_ members: [Member]) throws(WeighbridgeError) {
    let sorted = members.sorted { $0.range.lowerBound < $1.range.lowerBound }
    for (first, second) in zip(sorted, sorted.dropFirst())
    where first.range.upperBound > second.range.lowerBound {
      throw .malformed("members \(first.name) and \(second.name) share bytes")
        .at(.byte(second.range.lowerBound))
    }
  }
}
