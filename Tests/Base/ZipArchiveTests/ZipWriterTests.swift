import Bytes
import Foundation
import Testing
import ZipArchive

/// Archives that are written, by the records of APPNOTE 6.3.
@Suite struct ZipWriterTests {
  private let path = NSTemporaryDirectory() + "zip-\(UUID().uuidString).zip"

  /// Writes members and returns the archive's bytes.
  private func write(
    _ members: [(String, [UInt8])], largest: Int = ZipWriter.largestWithoutZIP64
  ) throws -> [UInt8] {
    defer { try? FileManager.default.removeItem(atPath: path) }
    var writer = try ZipWriter(path: path, largest: largest)
    for (name, contents) in members {
      try writer.begin(name, byteCount: contents.count)
      for start in stride(from: 0, to: contents.count, by: 1000) {
        let end = min(start + 1000, contents.count)
        try writer.append(Array(contents[start..<end]).span.bytes)
      }
      try writer.end()
    }
    try writer.commit(replacing: false)
    return [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  private let members: [(String, [UInt8])] = [
    ("a", [1, 2, 3]), ("größe", (0..<2500).map { UInt8(truncatingIfNeeded: $0) }), ("c/d", []),
  ]

  @Test(
    "Written archives read back, with ZIP64 records for sizes over a given limit",
    arguments: [ZipWriter.largestWithoutZIP64, 3000, 2000, 3, 0])
  func roundTrip(_ largest: Int) throws {
    let bytes = try write(members, largest: largest)
    let store = ByteStore(bytes)
    let directory = try ZipDirectory(bytes.span.bytes, memberLimit: 3)
    #expect(directory.members.map(\.name) == members.map(\.0))
    var memory = 0
    for (member, expected) in zip(directory.members, members) {
      let (contents, range) = try ZipReader.contents(of: member, in: store, memory: &memory)
      #expect(contents.withBytes { $0.copied(range) } == expected.1)
    }
    let locator: [UInt8] = [0x50, 0x4B, 6, 7]
    #expect((bytes.firstRange(of: locator) != nil) == (largest < 3000))
    #expect(try write(members, largest: largest) == bytes, "the same bytes each time")
  }

  @Test("Each field of the records is where APPNOTE says")
  func records() throws {
    let bytes = try write([("a", Array("123456789".utf8))])
    // CRC-32 of "123456789" is the check value of its catalogues: CBF43926.
    let common: [UInt8] =
      [20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0, 0x26, 0x39, 0xF4, 0xCB, 9, 0, 0, 0, 9, 0, 0, 0, 1, 0]
    let local = [0x50, 0x4B, 3, 4] + common + [0, 0] + Array("a123456789".utf8)
    let central =
      [0x50, 0x4B, 1, 2, 45, 0] + common + [UInt8](repeating: 0, count: 16) + Array("a".utf8)
    let end: [UInt8] =
      [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0, 47, 0, 0, 0, 40, 0, 0, 0, 0, 0]
    #expect(bytes == local + central + end)
  }

  @Test("An archive without members is its end record")
  func empty() throws {
    #expect(try write([]) == [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18))
  }

  @Test("Two members of the same name are refused, and nothing is written")
  func duplicates() {
    let error = #expect(throws: WeighbridgeError.self) { _ = try write([("a", [1]), ("a", [2])]) }
    #expect(error?.reason.contains("is in the archive twice") == true, "\(error as Any)")
    #expect(!exists(path))
  }

  @Test("An abandoned archive leaves nothing behind")
  func givenUp() throws {
    do {
      var writer = try ZipWriter(path: path)
      try writer.begin("a", byteCount: 3)
    }
    #expect(!exists(path))
  }

  @Test(
    "65,535 members, the most that 16 bits count, and one more are read back",
    arguments: [65_535, 65_536])
  func manyMembers(_ count: Int) throws {
    let bytes = try write((0..<count).map { ("\($0)", []) })
    #expect(try ZipDirectory(bytes.span.bytes, memberLimit: count).members.count == count)
  }
}
