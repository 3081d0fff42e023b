import Bytes
import HDF5File
import Testing

/// Messages in versions that no HDF5 of today writes, put into files in place of newer ones; libhdf5
/// still reads them.
@Suite("HDF5 messages of old versions")
struct OldMessageTests {
  /// A file with a message changed, read by both.
  private func compare(
    _ name: String, _ place: FileMap.Place, _ change: ([UInt8]) -> [UInt8]
  ) throws {
    var bytes = try MappedFile(path: file(name)).withBytes { $0.copied(0..<$0.byteCount) }
    let start = try FileMap(bytes: bytes).requiredOffset(of: place)
    let new = change(Array(bytes[start..<start + 40]))
    bytes.replaceSubrange(start..<start + new.count, with: new)
    let ours = try FileListing(file: HDF5File(ByteStore(bytes), path: name)).lines()
    let expected = try LibHDF5Listing.lines(path: file(name))
    expectSame(ours, expected, name)
    expectSame(ours, try LibHDF5Listing.lines(bytes: bytes), name)
  }

  @Test("Layouts of version 1 and 2 are read", arguments: [1, 2] as [UInt8])
  func layouts(version: UInt8) throws {
    try compare("one.h5", .message("/data", 0x08)) { old in
      // Version, rank, class, five bytes that are not used, the address, the size.
      [version, 1, 1, 0, 0, 0, 0, 0] + old[2..<10] + [4, 0, 0, 0]
    }
  }

  @Test("Chunked layouts of version 1 and 2 are read", arguments: [1, 2] as [UInt8])
  func chunks(version: UInt8) throws {
    try compare("Family/layouts_earliest.h5", .message("/partly", 0x08)) { old in
      // The rank counts the size of an element as one; then the address and the sizes.
      [version, 2, 2, 0, 0, 0, 0, 0] + old[3..<11] + old[11..<19]
    }
  }

  @Test("A reference to a named type of version 1 is read")
  func sharedType() throws {
    let file = try open("old_reference.h5")
    #expect(try file.floats("/data") == [0, 1, 2, 3])
    expectSame(
      try FileListing(file: file).lines(), try FileListing(file: open("committed.h5")).lines())
  }

  @Test("A header of version 1 may count too many messages", arguments: [6, 8] as [UInt8])
  func messageCount(count: UInt8) throws {
    try compare("one.h5", .header("/data")) { old in [old[0], old[1], count, 0] }
  }

  @Test("A fill value of version 1 is read")
  func fillValue() throws {
    try compare("Family/layouts_earliest.h5", .message("/partly", 0x05)) { old in
      [1] + old[1..<12]
    }
  }
}
