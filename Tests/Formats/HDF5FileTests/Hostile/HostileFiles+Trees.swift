import Bytes

/// The rules about B-trees, each broken once.
extension HostileFiles {
  static let trees: [HostileFile] = [
    HostileFile(
      "a B-tree of version 1", "Family/names_v110.h5", .block("BTHD"), 4, .value(1, 1), "/ordered",
      "the B-tree has version 1; 0 can be read", .unsupported),
    HostileFile(
      "a B-tree of attributes in a group", "Family/names_v110.h5", .block("BTHD"), 5, .value(8, 1),
      "/ordered", "has a B-tree of type 8 with records of 11 bytes for its members"),
    HostileFile(
      "a B-tree whose records have no bytes", "Family/names_v110.h5", .block("BTHD"), 10,
      .value(0, 2), "/ordered", "the B-tree has nodes of 512 bytes, records of 0 and depth 0"),
    HostileFile(
      "a B-tree whose records have 12 bytes", "Family/names_v110.h5", .block("BTHD"), 10,
      .value(12, 2), "/ordered", "has a B-tree of type 5 with records of 12 bytes for its members"),
    HostileFile(
      "a B-tree whose nodes have 4 bytes", "Family/names_v110.h5", .block("BTHD"), 6, .value(4, 4),
      "/ordered", "the B-tree has nodes of 4 bytes, records of 11 and depth 0"),
    HostileFile(
      "a B-tree of depth 60", "Family/names_v110.h5", .block("BTHD"), 12, .value(60, 2), "/ordered",
      "the B-tree is deeper than its nodes can be"),
    HostileFile(
      "a B-tree of depth 60,000", "Family/names_v110.h5", .block("BTHD"), 12, .value(60000, 2),
      "/ordered", "the B-tree has nodes of 512 bytes, records of 11 and depth 60000"),
    HostileFile(
      "a B-tree of depth 1 whose root is a leaf", "Family/names_v110.h5", .block("BTHD"), 12,
      .value(1, 2), "/ordered", "the B-tree's node does not begin with its signature BTIN"),
    HostileFile(
      "a B-tree whose root is behind the end", "Family/names_v110.h5", .block("BTHD"), 16,
      .value(1 << 40, 8), "/ordered",
      "the B-tree's node is at bytes 1099511627776 to 1099511628017, beyond the end of the file at 27324"
    ),
    HostileFile(
      "a B-tree with records and no root", "Family/names_v110.h5", .block("BTHD"), 16,
      .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/ordered", "the B-tree has 21 records and no root"),
    HostileFile(
      "a root with more records than a node has room for", "Family/names_v110.h5", .block("BTHD"),
      24, .value(9999, 2), "/ordered",
      "the B-tree has blocks that overlap: together they are larger than the file"),
    HostileFile(
      "a B-tree that counts too many records", "Family/names_v110.h5", .block("BTHD"), 26,
      .value(999, 8), "/ordered", "the B-tree has 21 records, but says that it has 999"),
    HostileFile(
      "a B-tree of a billion records", "Family/names_v110.h5", .block("BTHD"), 26,
      .value(1000000000, 8), "/ordered", "has more than 1000000 members", .limitExceeded),
    HostileFile(
      "a B-tree with a wrong checksum", "Family/names_v110.h5", .block("BTHD"), 34, .value(0, 4),
      "/ordered", "the B-tree's header is damaged: its checksum is"),
    HostileFile(
      "a node without its signature", "Family/names_v110.h5", .block("BTLF"), 0,
      .value(0x58585858, 4), "/group_9", "the B-tree's node does not begin with its signature BTLF"),
    HostileFile(
      "a node of another tree", "Family/names_v110.h5", .block("BTLF"), 5, .value(8, 1), "/group_9",
      "the B-tree's node does not fit its tree"),
    HostileFile(
      "a node with a wrong checksum", "Family/names_v110.h5", .block("BTLF"), 8, .value(0, 1),
      "/group_9", "the B-tree's node is damaged: its checksum is"),
  ]
}
