import Bytes
import Foundation
import Testing
import ZipArchive

/// Archives that Python's zipfile wrote (`Files/make.py`), and what is refused of broken ones.
@Suite struct ZipReaderTests {
  /// 0, 0, 0, 1, 1, 1, 2, ..., modulo 256: the contents of all members.
  private func contents(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 / 3) }
  }

  private func archive(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Files")
    return [UInt8](try Data(contentsOf: folder.appending(path: "\(name).zip")))
  }

  private func directory(_ bytes: [UInt8], memberLimit: Int = 10) throws -> ZipDirectory {
    try ZipDirectory(bytes.span.bytes, memberLimit: memberLimit)
  }

  /// The members and their contents.
  private func read(
    _ bytes: [UInt8], memory: Int = 1 << 20
  ) throws -> [(name: String, contents: [UInt8])] {
    let store = ByteStore(bytes)
    var memory = memory
    return try directory(bytes).members.map { member in
      let (store, range) = try ZipReader.contents(of: member, in: store, memory: &memory)
      return (member.name, store.withBytes { $0.copied(range) })
    }
  }

  @Test(
    "The members of an archive are read in their order",
    arguments: [
      ("empty", []), ("stored", [("a", 10), ("b/c", 0), ("d", 500)]),
      ("deflated", [("a", 3000), ("b", 0)]), ("commented", [("a", 4)]),
      ("names", [("größe/é", 4), ("a b", 5)]), ("large", [("a", 100)]), ("streamed", [("a", 1000)]),
    ] as [(String, [(String, Int)])])
  func members(_ name: String, _ expected: [(String, Int)]) throws {
    let members = try read(archive(name))
    #expect(members.map(\.name) == expected.map(\.0))
    #expect(members.map(\.contents) == expected.map { contents($0.1) })
    let bytes = try archive(name)
    let isMagic = ZipDirectory.isMagic(bytes.span.bytes)
    let first = ZipDirectory.firstName(bytes.span.bytes)
    let names = ZipDirectory.names(bytes.span.bytes)
    #expect(isMagic && first == expected.first?.0 && names == expected.map(\.0))
  }

  @Test("Stored members stay where they are, and unpacked ones count toward the memory limit")
  func memory() throws {
    let stored = ByteStore(try archive("stored"))
    let members = try directory(archive("stored")).members
    var memory = 0
    for member in members {
      let (contents, _) = try ZipReader.contents(of: member, in: stored, memory: &memory)
      #expect(contents === stored)
    }
    let deflated = ByteStore(try archive("deflated"))
    let packed = try #require(directory(archive("deflated")).members.first)
    #expect(packed.byteCount == 3000)
    memory = 3000
    _ = try ZipReader.contents(of: packed, in: deflated, memory: &memory)
    #expect(memory == 0)
    memory = 2999
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try ZipReader.contents(of: packed, in: deflated, memory: &memory)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test("More members than allowed are over the limit")
  func memberLimit() throws {
    let bytes = try archive("stored")
    #expect(try directory(bytes, memberLimit: 3).members.count == 3)
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try directory(bytes, memberLimit: 2)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test("A compression method other than stored and deflated is refused by name")
  func method() throws {
    let error = #expect(throws: WeighbridgeError.self) { _ = try read(archive("bzip2")) }
    #expect(error?.code == .unsupported && error?.reason.contains("method 12") == true)
    #expect(error?.reason.hasPrefix("member a ") == true)
    let bytes = try archive("bzip2")
    let names = ZipDirectory.names(bytes.span.bytes)
    #expect(names == ["a"])
  }

  @Test(
    "A truncated archive is refused, and so is one with trailing bytes",
    arguments: ["empty", "stored", "deflated", "large", "streamed"])
  func truncation(_ name: String) throws {
    let whole = try archive(name)
    for count in 0..<whole.count {
      let error = #expect(throws: WeighbridgeError.self) { _ = try read(Array(whole[..<count])) }
      #expect(error?.code == .malformed, "\(count) bytes")
    }
    for bytes in [whole + [0], [0] + whole] {
      let error = #expect(throws: WeighbridgeError.self) { _ = try read(bytes) }
      #expect(error?.code == .malformed, "\(error as Any)")
    }
  }

  @Test("A changed byte of the contents is found, stored or deflated")
  func damage() throws {
    var stored = try archive("stored")
    stored[31] ^= 1  // the first member's first byte, behind a header of 30 bytes and its name
    var deflated = try archive("deflated")
    deflated[400] ^= 0x10
    for bytes in [stored, deflated] {
      let error = #expect(throws: WeighbridgeError.self) { _ = try read(bytes) }
      #expect(error?.code == .malformed)
    }
  }

  /// The positions are those of APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16; the directory of
  /// `stored` begins where its end record says.
  @Test(
    "Records that contradict each other or the format are refused",
    arguments: [
      (0, 0, 2, "another signature of the first member"), (0, 8, 8, "another method there"),
      (0, 30, 0x62, "another name there"), (1, 0, 2, "another signature of the directory's entry"),
      (1, 8, 1, "encryption"), (1, 10, 8, "deflated, and yet as long"),
      (1, 20, 11, "two sizes of a stored member"), (1, 24, 9, "a shorter size"),
      (1, 42, 7, "a header elsewhere"), (1, 45, 0x7F, "a header after the directory"),
      (1, 46, 0x07, "a control character in the name"), (1, 46, 0xFF, "a name that is not UTF-8"),
      (1, 46, 0x64, "two members of one name"), (2, 4, 1, "several disks"),
      (2, 8, 2, "other counts of members"), (2, 10, 4, "more members than there are"),
      (2, 12, 1, "another size of the directory"), (2, 19, 0x7F, "a directory elsewhere"),
      (2, 20, 1, "a comment that is not there"),
    ])
  func contradictions(_ record: Int, _ offset: Int, _ value: UInt8, _ story: String) throws {
    var bytes = try archive("stored")
    let end = bytes.count - 22
    let directory = Int(bytes[end + 16]) | Int(bytes[end + 17]) << 8
    bytes[[0, directory, end][record] + offset] = value
    if story.contains("one name") { bytes[30] = value }
    let error = #expect(throws: WeighbridgeError.self) { _ = try read(bytes) }
    // Counts that differ are those of an archive on several disks.
    let unsupported: Set = [
      "encryption", "a name that is not UTF-8", "several disks", "other counts of members",
      "more members than there are",
    ]
    let code: WeighbridgeError.Code = unsupported.contains(story) ? .unsupported : .malformed
    #expect(error?.code == code, "\(story)")
  }

  @Test("Sizes of ZIP64 that are missing or do not fit are refused")
  func largeSizes() throws {
    var bytes = try archive("stored")
    let end = bytes.count - 22
    let directory = Int(bytes[end + 16]) | Int(bytes[end + 17]) << 8
    bytes.replaceSubrange(directory + 24..<directory + 28, with: [0xFF, 0xFF, 0xFF, 0xFF])
    let size = #expect(throws: WeighbridgeError.self) { _ = try read(bytes) }
    #expect(size?.code == .malformed && size?.reason.contains("ZIP64") == true)
    var records = try archive("stored")
    records.replaceSubrange(end + 16..<end + 20, with: [0xFF, 0xFF, 0xFF, 0xFF])
    let locator = #expect(throws: WeighbridgeError.self) { _ = try read(records) }
    #expect(locator?.code == .malformed && locator?.reason.contains("ZIP64") == true)
  }

  @Test("An impossible unpacked size is refused before memory is allocated")
  func ratio() throws {
    var bytes = try archive("deflated")
    let end = bytes.count - 22
    let directory = Int(bytes[end + 16]) | Int(bytes[end + 17]) << 8
    bytes[directory + 27] = 0x7F
    let error = #expect(throws: WeighbridgeError.self) { _ = try read(bytes, memory: .max) }
    #expect(error?.code == .malformed && error?.reason.contains("cannot unpack") == true)
  }

  @Test("Bytes without an archive's signature are not an archive")
  func magic() {
    for bytes: [UInt8] in [[], [0x50], [0x50, 0x4B, 3], [0x50, 0x4B, 1, 2, 0], [0, 0, 0, 0]] {
      let isMagic = ZipDirectory.isMagic(bytes.span.bytes)
      let first = ZipDirectory.firstName(bytes.span.bytes)
      let names = ZipDirectory.names(bytes.span.bytes)
      #expect(!isMagic && first == nil && names == [])
    }
  }
}
