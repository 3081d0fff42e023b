import Bytes
import HDF5File
import Testing

/// Object headers that share blocks: reading them all would take a time that grows with the square of
/// the file's size.
@Suite struct SharedHeaderTests {
  @Test("A header that continues in another header's block is refused")
  func sharedContinuation() {
    let errors = FullReading.errors(
      OverlayFile().sharingContinuation(), limits: HDF5File.Limits())
    #expect(errors.contains { $0.reason.contains("shares a block with another one") }, "\(errors)")
  }
}

extension SharedHeaderTests {
  @Test("Headers that reach over one another are refused")
  func overlappingHeaders() {
    let errors = FullReading.errors(OverlayFile().overlapping(), limits: HDF5File.Limits())
    #expect(errors.contains { $0.reason.contains("the object headers overlap") }, "\(errors)")
  }
}

extension SharedHeaderTests {
  @Test("A header with many links to it is read once", arguments: [false, true])
  func manyLinks(isDataset: Bool) throws {
    let bytes = OverlayFile().linkingOneHeader(isDataset: isDataset)
    let file = try HDF5File(ByteStore(bytes), path: "links.h5")
    let members = try file.members(below: "/")
    #expect(members.count == 400)
    #expect(members.allSatisfy { $0.kind == (isDataset ? .dataset : .other) })
    for _ in 0..<2 { _ = try file.group(at: "/") }
    #expect(file.metadataByteCount < 2 * bytes.count)
  }
}

/// A file of version 0 whose root group has many members in one symbol table node.
struct OverlayFile {
  private static let memberCount = 400
  private static let root = 96
  private static let tree = 136
  private static let heap = 192
  private static let node = 1 << 13
  private static let headers = 1 << 15

  /// Every header is 16 bytes of its own with a continuation to one block.
  func sharingContinuation() -> [UInt8] {
    var bytes = frame()
    let shared = bytes.count - 8
    for index in 0..<Self.memberCount {
      put(1, 1, &bytes, at: header(index))
      put(2, 2, &bytes, at: header(index) + 2)
      put(24, 4, &bytes, at: header(index) + 8)
      put(0x10, 2, &bytes, at: header(index) + 16)
      put(16, 2, &bytes, at: header(index) + 18)
      put(shared, 8, &bytes, at: header(index) + 24)
      put(8, 8, &bytes, at: header(index) + 32)
    }
    return bytes
  }

  /// Every header is a message of 1,000 bytes that begins 64 bytes behind the one before.
  func overlapping() -> [UInt8] {
    var bytes = frame() + [UInt8](repeating: 0, count: 1024)
    put(bytes.count, 8, &bytes, at: 40)  // the end of the file
    for index in 0..<Self.memberCount {
      put(1, 1, &bytes, at: header(index))
      put(1, 2, &bytes, at: header(index) + 2)
      put(1008, 4, &bytes, at: header(index) + 8)
      put(1000, 2, &bytes, at: header(index) + 18)  // of type 0, which says nothing
    }
    return bytes
  }

  /// Every member is the same header of 60,000 bytes.
  ///
  /// - Parameter isDataset: Whether it has the two messages that make it a dataset's.
  func linkingOneHeader(isDataset: Bool) -> [UInt8] {
    var bytes = frame() + [UInt8](repeating: 0, count: 1 << 16)
    put(bytes.count, 8, &bytes, at: 40)  // the end of the file
    put(1, 1, &bytes, at: Self.headers)
    let types = isDataset ? [0x03, 0x08] : []
    put(1 + types.count, 2, &bytes, at: Self.headers + 2)
    put(60_008 + 8 * types.count, 4, &bytes, at: Self.headers + 8)
    put(60_000, 2, &bytes, at: Self.headers + 18)  // of type 0, which says nothing
    for (index, type) in types.enumerated() {
      put(type, 2, &bytes, at: Self.headers + 24 + 60_000 + 8 * index)
    }
    for index in 0..<Self.memberCount {
      put(Self.headers, 8, &bytes, at: Self.node + 16 + index * 40)
    }
    return bytes
  }

  private func header(_ index: Int) -> Int { Self.headers + index * 64 }

  private func put(_ value: Int, _ width: Int, _ bytes: inout [UInt8], at offset: Int) {
    for index in 0..<width {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
    }
  }

  /// Everything but the members' headers.
  private func frame() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: header(Self.memberCount) + 64)
    // The superblock, whose symbol table entry leads to the root group.
    bytes.replaceSubrange(0..<8, with: [0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A])
    (bytes[13], bytes[14]) = (8, 8)
    put(200, 2, &bytes, at: 16)  // a node has room for 400 symbols
    put(16, 2, &bytes, at: 18)
    put(-1, 8, &bytes, at: 32)
    put(bytes.count, 8, &bytes, at: 40)
    put(-1, 8, &bytes, at: 48)
    put(Self.root, 8, &bytes, at: 64)
    // The root group's header: one symbol table message.
    put(1, 1, &bytes, at: Self.root)
    put(1, 2, &bytes, at: Self.root + 2)
    put(24, 4, &bytes, at: Self.root + 8)
    put(0x11, 2, &bytes, at: Self.root + 16)
    put(16, 2, &bytes, at: Self.root + 18)
    put(Self.tree, 8, &bytes, at: Self.root + 24)
    put(Self.heap, 8, &bytes, at: Self.root + 32)
    // The tree: one leaf.
    bytes.replaceSubrange(Self.tree..<Self.tree + 4, with: "TREE".utf8)
    put(1, 2, &bytes, at: Self.tree + 6)
    put(-1, 8, &bytes, at: Self.tree + 8)
    put(-1, 8, &bytes, at: Self.tree + 16)
    put(Self.node, 8, &bytes, at: Self.tree + 32)
    putNames(&bytes)
    return bytes
  }

  /// The heap with the names, and the node that gives each an address.
  private func putNames(_ bytes: inout [UInt8]) {
    let names = Self.heap + 32
    bytes.replaceSubrange(Self.heap..<Self.heap + 4, with: "HEAP".utf8)
    put(8 + Self.memberCount * 8, 8, &bytes, at: Self.heap + 8)
    put(1, 8, &bytes, at: Self.heap + 16)  // no free block
    put(names, 8, &bytes, at: Self.heap + 24)
    bytes.replaceSubrange(Self.node..<Self.node + 4, with: "SNOD".utf8)
    bytes[Self.node + 4] = 1
    put(Self.memberCount, 2, &bytes, at: Self.node + 6)
    for index in 0..<Self.memberCount {
      let name = 8 + index * 8
      bytes.replaceSubrange(names + name..<names + name + 4, with: "m\(100 + index)".utf8)
      put(name, 8, &bytes, at: Self.node + 8 + index * 40)
      put(header(index), 8, &bytes, at: Self.node + 16 + index * 40)
    }
  }
}
