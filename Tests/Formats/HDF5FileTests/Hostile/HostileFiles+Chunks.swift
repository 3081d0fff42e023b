import Bytes

/// The rules about chunks, each broken once.
extension HostileFiles {
  static let chunks: [HostileFile] = [
    HostileFile(
      "chunks with a size of 0", "Family/indexes_earliest.h5", .message("/fixed", 0x08), 11,
      .value(0, 4), "/fixed", "the data layout has chunks of the sizes [0, 4, 4]"),
    HostileFile(
      "chunks larger than their dataset", "Family/indexes_earliest.h5", .message("/fixed", 0x08),
      11, .value(1000, 4), "/fixed", "has a chunk of 64 bytes, where 16000 are expected"),
    HostileFile(
      "chunks that no memory holds", "Family/indexes_earliest.h5", .message("/growing_both", 0x08),
      11, .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/growing_both",
      "the size of a chunk is negative or too large"),
    HostileFile(
      "chunks of elements of another size", "Family/indexes_earliest.h5", .message("/fixed", 0x08),
      19, .value(8, 4), "/fixed", "has elements of 4 bytes, but chunks with elements of 8"),
    HostileFile(
      "chunks of other dimensions", "Family/indexes_earliest.h5", .message("/fixed", 0x08), 2,
      .value(2, 1), "/fixed", "has 2 dimensions, but chunks with 1"),
    HostileFile(
      "chunks with 255 dimensions", "Family/indexes_earliest.h5", .message("/fixed", 0x08), 2,
      .value(255, 1), "/fixed", "has metadata that end too early: 4 bytes needed, 1 left"),
    HostileFile(
      "chunks whose index is behind the end", "Family/indexes_earliest.h5",
      .message("/fixed", 0x08), 3, .value(1 << 40, 8), "/fixed",
      "the B-tree's node is at bytes 1099511627776 to 1099511627800, beyond the end of the file at 68824"
    ),
    HostileFile(
      "chunks whose index is a group", "Family/indexes_earliest.h5", .message("/fixed", 0x08), 3,
      .address(.block("TREE")), "/fixed",
      "the B-tree's node is of type 0 and level 0, where type 1 is expected"),
    HostileFile(
      "a B-tree of groups for chunks", "Family/indexes_earliest.h5", .target("/fixed", 0x08, 3), 4,
      .value(0, 1), "/fixed", "the B-tree's node is of type 0 and level 0, where type 1 is expected"
    ),
    HostileFile(
      "a chunk that begins inside another", "Family/indexes_earliest.h5",
      .target("/fixed", 0x08, 3), 32, .value(1, 8), "/fixed",
      "has a chunk at 1, which is not a multiple of 4"),
    HostileFile(
      "a chunk outside the dataset", "Family/indexes_earliest.h5", .target("/fixed", 0x08, 3), 32,
      .value(400, 8), "/fixed", "has a chunk at [100, 0], outside of the grid of [2, 3]"),
    HostileFile(
      "a chunk whose position no integer holds", "Family/indexes_earliest.h5",
      .target("/fixed", 0x08, 3), 32, .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/fixed",
      "has a count that is too large"),
    HostileFile(
      "two chunks at one position", "Family/indexes_earliest.h5", .target("/fixed", 0x08, 3), 80,
      .value(0, 8), "/fixed", "has two chunks at the position [0, 0]"),
    HostileFile(
      "chunks that overlap in the file", "Family/indexes_earliest.h5", .target("/fixed", 0x08, 3),
      96, .copy(.target("/fixed", 0x08, 3), offset: 56, count: 8), "/fixed",
      "has chunks that overlap in the file"),
    HostileFile(
      "a chunk behind the end", "Family/indexes_earliest.h5", .target("/fixed", 0x08, 3), 56,
      .value(1 << 40, 8), "/fixed",
      "a chunk is at bytes 1099511627776 to 1099511627840, beyond the end of the file at 68824"),
    HostileFile(
      "a chunk without an address", "Family/indexes_earliest.h5", .target("/fixed", 0x08, 3), 56,
      .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/fixed", "a child of the B-tree has no address"),
    HostileFile(
      "a chunk of another size than its shape", "Family/indexes_earliest.h5",
      .target("/fixed", 0x08, 3), 24, .value(63, 4), "/fixed",
      "has a chunk of 63 bytes, where 64 are expected"),
    HostileFile(
      "a packed chunk larger than the file", "Family/indexes_earliest.h5",
      .target("/fixed_packed", 0x08, 3), 24, .value(0xFFFF_FFFF, 4), "/fixed_packed",
      "has 4294967295 bytes stored for a chunk of 64"),
    HostileFile(
      "a packed chunk that is cut off", "Family/indexes_earliest.h5",
      .target("/fixed_packed", 0x08, 3), 24, .value(5, 4), "/fixed_packed",
      "filtered data is damaged: it does not unpack (gzip) to 64 bytes"),
    HostileFile(
      "a packed chunk of no bytes", "Family/indexes_earliest.h5", .target("/fixed_packed", 0x08, 3),
      24, .value(0, 4), "/fixed_packed",
      "filtered data is damaged: it does not unpack (gzip) to 64 bytes"
    ),
    HostileFile(
      "a filter mask that says that a packed chunk is not", "Family/indexes_earliest.h5",
      .target("/fixed_packed", 0x08, 3), 28, .value(0xFFFF_FFFF, 4), "/fixed_packed",
      "36 bytes are unpacked, expected 64, with the filter mask 4294967295"),
    HostileFile(
      "a filter mask without the first filter", "Family/indexes_earliest.h5",
      .target("/fixed_packed", 0x08, 3), 28, .value(2, 4), "/fixed_packed",
      "36 bytes are unpacked, expected 64, with the filter mask 2"),
    HostileFile(
      "a new layout without an index", "Family/indexes_v110.h5", .message("/fixed", 0x08), 8,
      .value(9, 1), "/fixed", "the data layout has a chunk index of type 9; 1 to 5 can be read",
      .unsupported),
    HostileFile(
      "a new layout with sizes of 0 bytes", "Family/indexes_v110.h5", .message("/fixed", 0x08), 4,
      .value(0, 1), "/fixed", "the data layout has sizes of 0 bytes"),
    HostileFile(
      "a new layout with sizes of 9 bytes", "Family/indexes_v110.h5", .message("/fixed", 0x08), 4,
      .value(9, 1), "/fixed", "the data layout has sizes of 9 bytes"),
    HostileFile(
      "a single chunk for many", "Family/indexes_v110.h5", .message("/fixed", 0x08), 8,
      .value(1, 1), "/fixed", "has the index of a single chunk, but 6 chunks"),
    HostileFile(
      "a single chunk behind the end", "Family/indexes_v110.h5", .message("/single", 0x08), 9,
      .value(1 << 40, 8), "/single",
      "a chunk is at bytes 1099511627776 to 1099511628016, beyond the end of the file at 31310"),
    HostileFile(
      "implicit chunks behind the end", "Family/indexes_v110.h5", .message("/implicit", 0x08), 9,
      .value(1 << 40, 8), "/implicit",
      "a chunk is at bytes 1099511627776 to 1099511627840, beyond the end of the file at 31310"),
    HostileFile(
      "implicit chunks whose address overflows", "Family/indexes_v110.h5",
      .message("/implicit", 0x08), 9, .value(0x7FFF_FFFF_FFFF_FFF0, 8), "/implicit",
      "the end of a chunk is negative or too large"),
    HostileFile(
      "implicit chunks of packed data", "Family/indexes_v110.h5", .message("/fixed_packed", 0x08),
      8, .value(2, 1), "/fixed_packed", "has filters, but an index for chunks without"),
    HostileFile(
      "a fixed array of version 1", "Family/indexes_v110.h5", .target("/fixed", 0x08, 10), 4,
      .value(1, 1), "/fixed", "the fixed array has version 1; 0 can be read", .unsupported),
    HostileFile(
      "a fixed array of packed chunks for others", "Family/indexes_v110.h5",
      .target("/fixed", 0x08, 10), 5, .value(1, 1), "/fixed",
      "the chunk index has elements of 8 bytes for client 1, which do not fit the dataset's filters"
    ),
    HostileFile(
      "a fixed array with elements of 3 bytes", "Family/indexes_v110.h5",
      .target("/fixed", 0x08, 10), 6, .value(3, 1), "/fixed",
      "the chunk index has elements of 3 bytes for client 0, which do not fit the dataset's filters"
    ),
    HostileFile(
      "a fixed array with pages of 2^200", "Family/indexes_v110.h5", .target("/fixed", 0x08, 10), 7,
      .value(200, 1), "/fixed", "the fixed array has pages of 2^200"),
    HostileFile(
      "a fixed array larger than the file", "Family/indexes_v110.h5", .target("/fixed", 0x08, 10),
      8, .value(1 << 40, 8), "/fixed",
      "the fixed array is at bytes 1059 to 134218805, beyond the end of the file at 31310"),
    HostileFile(
      "a fixed array of more pages than an integer counts", "Family/indexes_v110.h5",
      .target("/fixed", 0x08, 10), 7, .bytes([0] + [UInt8](repeating: 0xFF, count: 7) + [0x7F]),
      "/fixed", "the fixed array is at bytes 1059 to 1152921504606848053"),
    HostileFile(
      "a fixed array with more elements than chunks", "Family/indexes_v110.h5",
      .target("/fixed", 0x08, 10), 8, .value(1000, 8), "/fixed",
      "has a chunk 6, beyond the last possible chunk"),
    HostileFile(
      "a fixed array whose block is behind the end", "Family/indexes_v110.h5",
      .target("/fixed", 0x08, 10), 16, .value(1 << 40, 8), "/fixed",
      "the fixed array is at bytes 1099511627776 to 1099511627842, beyond the end of the file at 31310"
    ),
    HostileFile(
      "a fixed array whose block is its header", "Family/indexes_v110.h5",
      .target("/fixed", 0x08, 10), 16, .address(.target("/fixed", 0x08, 10)), "/fixed",
      "the fixed array's block does not begin with its signature FADB"),
    HostileFile(
      "a fixed array with a wrong checksum", "Family/indexes_v110.h5", .target("/fixed", 0x08, 10),
      24, .value(0, 4), "/fixed", "the fixed array is damaged: its checksum is"),
    HostileFile(
      "a block of another fixed array", "Family/indexes_v110.h5", .block("FADB"), 6, .value(0, 8),
      "/fixed", "the fixed array's block belongs to another array"),
    HostileFile(
      "a chunk of a fixed array behind the end", "Family/indexes_v110.h5", .block("FADB"), 14,
      .value(1 << 40, 8), "/fixed",
      "a chunk is at bytes 1099511627776 to 1099511627840, beyond the end of the file at 31310"),
    HostileFile(
      "a fixed array cut into pages that are not there", "Family/pages_v110.h5", .block("FADB"), 14,
      .value(0xFF, 1), "/fixed", "has chunks that overlap in the file"),
    HostileFile(
      "an extensible array of version 1", "Family/indexes_v110.h5",
      .target("/growing_inner", 0x08, 14), 4, .value(1, 1), "/growing_inner",
      "the extensible array has version 1; 0 can be read", .unsupported),
    HostileFile(
      "an extensible array with elements of 200 bytes", "Family/indexes_v110.h5",
      .target("/growing_inner", 0x08, 14), 6, .value(200, 1), "/growing_inner",
      "the chunk index has elements of 200 bytes for client 0, which do not fit the dataset's filters"
    ),
    HostileFile(
      "an extensible array with 255 bits for positions", "Family/indexes_v110.h5",
      .target("/growing_inner", 0x08, 14), 7, .value(255, 1), "/growing_inner",
      "the extensible array is invalid: blocks of 16 elements or more, at least 4 in a group, and 255 bits for positions"
    ),
    HostileFile(
      "an extensible array with blocks of 3 elements", "Family/indexes_v110.h5",
      .target("/growing_inner", 0x08, 14), 9, .value(3, 1), "/growing_inner",
      "the extensible array is invalid: blocks of 3 elements or more, at least 4 in a group, and 32 bits for positions"
    ),
    HostileFile(
      "an extensible array with blocks of no elements", "Family/indexes_v110.h5",
      .target("/growing_inner", 0x08, 14), 9, .value(0, 1), "/growing_inner",
      "the extensible array is invalid: blocks of 0 elements or more, at least 4 in a group, and 32 bits for positions"
    ),
    HostileFile(
      "an extensible array with no blocks in a group", "Family/indexes_v110.h5",
      .target("/growing_inner", 0x08, 14), 10, .value(0, 1), "/growing_inner",
      "the extensible array is invalid: blocks of 16 elements or more, at least 0 in a group, and 32 bits for positions"
    ),
    HostileFile(
      "an extensible array with pages of 2^255", "Family/indexes_v110.h5",
      .target("/growing_inner", 0x08, 14), 11, .value(255, 1), "/growing_inner",
      "the extensible array is invalid: blocks of 16 elements or more, at least 4 in a group, and 32 bits for positions"
    ),
    HostileFile(
      "an extensible array whose index is behind the end", "Family/indexes_v110.h5",
      .target("/growing_inner", 0x08, 14), 60, .value(1 << 40, 8), "/growing_inner",
      "the extensible array's index is at bytes 1099511627776 to 1099511628074, beyond the end of the file at 31310"
    ),
    HostileFile(
      "an extensible array whose index is its header", "Family/indexes_v110.h5",
      .target("/growing_inner", 0x08, 14), 60, .address(.target("/growing_inner", 0x08, 14)),
      "/growing_inner", "the extensible array's block does not begin with its signature EAIB"),
    HostileFile(
      "an index of another extensible array", "Family/indexes_v110.h5", .block("EAIB"), 6,
      .value(0, 8), "/growing", "the extensible array's block belongs to another array"),
    HostileFile(
      "a block of an extensible array behind the end", "Family/indexes_v110.h5", .block("EAIB", 2),
      46, .value(1 << 40, 8), "/growing_packed", "has chunks that overlap in the file"),
    HostileFile(
      "one block twice in an extensible array", "Family/pages_v110.h5", .block("EAIB"), 54,
      .copy(.block("EAIB"), offset: 46, count: 8), "/growing",
      "the extensible array refers to one block twice"),
    HostileFile(
      "a chunk of an extensible array behind the end", "Family/indexes_v110.h5", .block("EAIB"), 14,
      .value(1 << 40, 8), "/growing",
      "a chunk is at bytes 1099511627776 to 1099511627840, beyond the end of the file at 31310"),
    HostileFile(
      "a block of an extensible array with a wrong checksum", "Family/indexes_v110.h5",
      .block("EADB"), 20, .value(0x58, 1), "/growing",
      "the extensible array's block is damaged: its checksum is"),
    HostileFile(
      "a table of an extensible array without its signature", "Family/pages_v110.h5",
      .block("EASB"), 0, .value(0x58585858, 4), "/growing",
      "the extensible array's block does not begin with its signature EASB"),
    HostileFile(
      "a table of another position in an extensible array", "Family/pages_v110.h5", .block("EASB"),
      14, .value(3, 4), "/growing", "the extensible array's block belongs to another position"),
    HostileFile(
      "a page of an extensible array that is not there", "Family/pages_v110.h5", .block("EASB"), 18,
      .value(0xFF, 1), "/growing",
      "the extensible array's block does not begin with its signature EADB"),
    HostileFile(
      "a B-tree with more chunks than there is room for", "Family/indexes_v110.h5",
      .target("/growing_both", 0x08, 15), 26, .value(100, 8), "/growing_both",
      "has 100 chunks, but room for 60"),
    HostileFile(
      "a B-tree of packed chunks for others", "Family/indexes_v110.h5",
      .target("/growing_both", 0x08, 15), 5, .value(11, 1), "/growing_both",
      "has a B-tree of type 11 and records of 24 bytes for its chunks"),
    HostileFile(
      "a B-tree of chunks with records of 9 bytes", "Family/indexes_v110.h5",
      .target("/growing_both", 0x08, 15), 10, .value(9, 2), "/growing_both",
      "has a B-tree of type 10 and records of 9 bytes for its chunks"),
    HostileFile(
      "a chunk of a B-tree outside the dataset", "Family/indexes_v110.h5",
      .target("/shrunk", 0x08, 15), 16, .address(.target("/growing_both", 0x08, 15)), "/shrunk",
      "the B-tree's node does not begin with its signature BTLF"),
  ]
}
