import Bytes

/// The rules about groups, each broken once.
extension HostileFiles {
  static let groups: [HostileFile] = [
    HostileFile(
      "a group without a B-tree", "Family/ranks.h5", .message("/", 0x11), 0,
      .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/", "the group's B-tree has no address"),
    HostileFile(
      "a group whose B-tree is behind the end", "Family/ranks.h5", .message("/", 0x11), 0,
      .value(1 << 40, 8), "/",
      "the B-tree's node is at bytes 1099511627776 to 1099511627800, beyond the end of the file at 46052"
    ),
    HostileFile(
      "a group without a heap", "Family/ranks.h5", .message("/", 0x11), 8,
      .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/", "the group's local heap has no address"),
    HostileFile(
      "a group whose heap is behind the end", "Family/ranks.h5", .message("/", 0x11), 8,
      .value(1 << 40, 8), "/",
      "the local heap is at bytes 1099511627776 to 1099511627808, beyond the end of the file at 46052"
    ),
    HostileFile(
      "a group whose heap is the superblock", "Family/ranks.h5", .message("/", 0x11), 8,
      .value(0, 8), "/", "the local heap does not begin with its signature HEAP"),
    HostileFile(
      "a group with a B-tree of chunks", "Family/ranks.h5", .block("TREE"), 4, .value(1, 1), "/",
      "the B-tree's node is of type 1 and level 3, where type 0 is expected"),
    HostileFile(
      "a B-tree of a level that its children do not have", "Family/ranks.h5", .block("TREE"), 5,
      .value(1, 1), "/",
      "the B-tree's node is of type 0 and level 2, where type 0 and level 0 is expected"),
    HostileFile(
      "a B-tree node with more children than the file has bytes", "Family/ranks.h5", .block("TREE"),
      6, .value(0xFFFF, 2), "/",
      "the B-tree has blocks that overlap: together they are larger than the file"),
    HostileFile(
      "a B-tree node with a child behind the end", "Family/ranks.h5", .block("TREE"), 32,
      .value(1 << 40, 8), "/",
      "the B-tree's node is at bytes 1099511627776 to 1099511627800, beyond the end of the file at 46052"
    ),
    HostileFile(
      "a B-tree node that is its own child", "Family/ranks.h5", .block("TREE"), 32,
      .address(.block("TREE")), "/",
      "the B-tree's node is of type 0 and level 3, where type 0 and level 2 is expected"),
    HostileFile(
      "a B-tree node with a child without an address", "Family/ranks.h5", .block("TREE"), 32,
      .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/", "a child of the B-tree has no address"),
    HostileFile(
      "a local heap of version 1", "Family/ranks.h5", .block("HEAP"), 4, .value(1, 1), "/",
      "the local heap has version 1; 0 can be read", .unsupported),
    HostileFile(
      "a local heap larger than the file", "Family/ranks.h5", .block("HEAP"), 8, .value(1 << 40, 8),
      "/",
      "the local heap's data is at bytes 17564 to 1099511645340, beyond the end of the file at 46052"
    ),
    HostileFile(
      "a local heap whose size overflows", "Family/ranks.h5", .block("HEAP"), 8,
      .value(0x7FFF_FFFF_FFFF_FFF0, 8), "/",
      "the end of the local heap's data is negative or too large"),
    HostileFile(
      "a local heap whose data are behind the end", "Family/ranks.h5", .block("HEAP"), 24,
      .value(1 << 40, 8), "/",
      "the local heap's data is at bytes 1099511627776 to 1099511629184, beyond the end of the file at 46052"
    ),
    HostileFile(
      "a local heap of no bytes", "Family/ranks.h5", .block("HEAP"), 8, .value(0, 8), "/",
      "a name is at 888, beyond the end of a local heap of 0 bytes"),
    HostileFile(
      "a local heap that cuts a name off", "Family/ranks.h5", .block("HEAP"), 8, .value(11, 8), "/",
      "a name is at 888, beyond the end of a local heap of 11 bytes"),
    HostileFile(
      "a symbol table node of version 2", "Family/ranks.h5", .block("SNOD"), 4, .value(2, 1), "/",
      "the symbol table node has version 2; 1 can be read", .unsupported),
    HostileFile(
      "a symbol table node that ends outside", "Family/ranks.h5", .block("SNOD"), 6,
      .value(0xFFFF, 2), "/",
      "the group has blocks that overlap: together they are larger than the file"),
    HostileFile(
      "a symbol table node without its signature", "Family/ranks.h5", .block("SNOD"), 0,
      .value(0x58585858, 4), "/", "the symbol table node does not begin with its signature SNOD"),
    HostileFile(
      "a name outside the heap", "Family/ranks.h5", .block("SNOD"), 8, .value(1 << 40, 8), "/",
      "a name is at 1099511627776, beyond the end of a local heap of 1408 bytes"),
    HostileFile(
      "two members of one name", "Family/attributes_earliest.h5", .block("SNOD"), 8,
      .copy(.block("SNOD"), offset: 48, count: 8), "/", "has two members \"attributes_1\""),
    HostileFile(
      "a member behind the end", "Family/ranks.h5", .block("SNOD"), 16, .value(1 << 40, 8),
      "/group 7",
      "the object header is at bytes 1099511627776 to 1099511627777, beyond the end of the file at 46052"
    ),
    HostileFile(
      "a member without an address", "Family/ranks.h5", .block("SNOD"), 16,
      .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/", "the symbol table has a member without an address"),
    HostileFile(
      "a soft link outside the heap", "Family/ranks.h5", .block("SNOD"), 24, .value(2, 12), "/",
      "a name is at 4294967295, beyond the end of a local heap of 1408 bytes"),
    HostileFile(
      "a link of version 2", "Family/names_v110.h5", .message("/group_1", 0x06), 0, .value(2, 1),
      "/group_1", "the link has version 2; 1 can be read", .unsupported),
    HostileFile(
      "a link of an unknown kind", "Family/names_v110.h5", .message("/group_1", 0x06), 1,
      .value(0x0918, 2), "/group_1", "has metadata that end too early: 109 bytes needed, 27 left"),
    HostileFile(
      "a link whose name is longer than the message", "Family/names_v110.h5",
      .message("/group_1", 0x06), 1, .value(0xFF00, 2), "/group_1",
      "has metadata that end too early: 255 bytes needed, 29 left"),
    HostileFile(
      "a link info of version 1", "Family/names_v110.h5", .message("/group_40", 0x02), 0,
      .value(1, 1), "/group_40", "the info message has version 1; 0 can be read", .unsupported),
    HostileFile(
      "dense links without a B-tree", "Family/names_v110.h5", .message("/group_40", 0x02), 10,
      .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/group_40", "the B-tree of names has no address"),
    HostileFile(
      "dense links whose heap is behind the end", "Family/names_v110.h5",
      .message("/group_40", 0x02), 2, .value(1 << 40, 8), "/group_40",
      "the fractal heap is at bytes 1099511627776 to 1099511627777, beyond the end of the file at 27324"
    ),
    HostileFile(
      "dense links whose heap is the header", "Family/names_v110.h5", .message("/group_40", 0x02),
      2, .value(48, 8), "/group_40", "the fractal heap shares a block with another one"),
    HostileFile(
      "a group whose B-tree belongs to another one", "links.h5", .message("/a/b", 0x11), 0,
      .copy(.message("/a", 0x11), offset: 0, count: 8), "/a/b",
      "the group's B-tree shares a block with another one"),
    HostileFile(
      "a group whose heap belongs to another one", "links.h5", .message("/a/b", 0x11), 8,
      .copy(.message("/a", 0x11), offset: 8, count: 8), "/a/b",
      "the group's local heap shares a block with another one"),
    HostileFile(
      "links that belong to another group", "Family/names_v110.h5", .message("/group_40", 0x02), 2,
      .copy(.message("/group_9", 0x02), offset: 2, count: 16), "/group_40",
      "the B-tree of names shares a block with another one"),
  ]
}
