import Bytes

/// The rules about heaps, each broken once.
extension HostileFiles {
  static let heaps: [HostileFile] = [
    HostileFile(
      "a fractal heap of version 1", "Family/names_v110.h5", .block("FRHP"), 4, .value(1, 1),
      "/group_9", "the fractal heap has version 1; 0 can be read", .unsupported),
    HostileFile(
      "a fractal heap with 3 blocks in a row", "Family/names_v110.h5", .block("FRHP"), 110,
      .value(3, 2), "/group_9",
      "the fractal heap is invalid: 3 blocks in a row, of 512 to 65536 bytes, and 32 bits for positions"
    ),
    HostileFile(
      "a fractal heap with no blocks in a row", "Family/names_v110.h5", .block("FRHP"), 110,
      .value(0, 2), "/group_9",
      "the fractal heap is invalid: 0 blocks in a row, of 512 to 65536 bytes, and 32 bits for positions"
    ),
    HostileFile(
      "a fractal heap whose blocks have no bytes", "Family/names_v110.h5", .block("FRHP"), 112,
      .value(0, 8), "/group_9",
      "the fractal heap is invalid: 4 blocks in a row, of 0 to 65536 bytes, and 32 bits for positions"
    ),
    HostileFile(
      "a fractal heap whose blocks have an odd size", "Family/names_v110.h5", .block("FRHP"), 112,
      .value(513, 8), "/group_9",
      "the fractal heap is invalid: 4 blocks in a row, of 513 to 65536 bytes, and 32 bits for positions"
    ),
    HostileFile(
      "a fractal heap whose largest block is the smallest", "Family/names_v110.h5", .block("FRHP"),
      120, .value(1, 8), "/group_9",
      "the fractal heap is invalid: 4 blocks in a row, of 512 to 1 bytes, and 32 bits for positions"
    ),
    HostileFile(
      "a fractal heap whose largest block has 2^60 bytes", "Family/names_v110.h5", .block("FRHP"),
      120, .value(1 << 60, 8), "/group_9",
      "the fractal heap is invalid: 4 blocks in a row, of 512 to 1152921504606846976 bytes, and 32 bits for positions"
    ),
    HostileFile(
      "a fractal heap without bits for positions", "Family/names_v110.h5", .block("FRHP"), 128,
      .value(0, 2), "/group_9",
      "the fractal heap is invalid: 4 blocks in a row, of 512 to 65536 bytes, and 0 bits for positions"
    ),
    HostileFile(
      "a fractal heap with 255 bits for positions", "Family/names_v110.h5", .block("FRHP"), 128,
      .value(255, 2), "/group_9",
      "the fractal heap is invalid: 4 blocks in a row, of 512 to 65536 bytes, and 255 bits for positions"
    ),
    HostileFile(
      "a fractal heap with 1000 rows", "Family/names_v110.h5", .block("FRHP"), 140, .value(1000, 2),
      "/group_9", "the fractal heap has 1000 rows"),
    HostileFile(
      "a fractal heap whose block is behind the end", "Family/names_v110.h5", .block("FRHP"), 132,
      .value(1 << 40, 8), "/group_9",
      "the fractal heap's block is at bytes 1099511627776 to 1099511628288, beyond the end of the file at 27324"
    ),
    HostileFile(
      "a fractal heap without blocks", "Family/names_v110.h5", .block("FRHP"), 132,
      .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/group_9",
      "refers to position 111 of a fractal heap that is smaller"),
    HostileFile(
      "a fractal heap whose block is no table", "Family/names_v110.h5", .block("FRHP"), 140,
      .value(1, 2), "/group_9", "the fractal heap's block does not begin with its signature FHIB"),
    HostileFile(
      "a fractal heap with a wrong checksum", "Family/names_v110.h5", .block("FRHP"), 46,
      .value(99, 1), "/group_9", "the fractal heap is damaged: its checksum is"),
    HostileFile(
      "a fractal heap with filters that do not fit", "Family/names_v110.h5", .block("FRHP"), 7,
      .value(9999, 2), "/ordered/z9", "has an address beyond any file"),
    HostileFile(
      "a block of another heap", "Family/names_v110.h5", .block("FHDB"), 5, .value(0, 8),
      "/group_8", "the fractal heap's block belongs to another heap or position"),
    HostileFile(
      "a block of another position", "Family/names_v110.h5", .block("FHDB"), 13, .value(77, 4),
      "/group_8", "the fractal heap's block belongs to another heap or position"),
    HostileFile(
      "a block without its signature", "Family/names_v110.h5", .block("FHDB"), 0,
      .value(0x58585858, 4), "/group_8",
      "the fractal heap's block does not begin with its signature FHDB"),
    HostileFile(
      "a block with a wrong checksum", "Family/names_v110.h5", .block("FHDB"), 40, .value(0x58, 1),
      "/group_8", "the fractal heap's block is damaged: its checksum is"),
    HostileFile(
      "a heap ID of version 3", "Family/names_v110.h5", .block("BTLF"), 10, .value(0xC0, 1),
      "/group_9", "a heap ID has version 3; 0 can be read", .unsupported),
    HostileFile(
      "a heap ID of an unknown kind", "Family/names_v110.h5", .block("BTLF"), 10, .value(0x30, 1),
      "/group_9", "a heap ID is of a kind that is not known"),
    HostileFile(
      "a huge object in a heap without", "Family/names_v110.h5", .block("BTLF"), 10,
      .value(0x10, 1), "/group_9", "the fractal heap has no huge objects"),
    HostileFile(
      "a tiny object that is no link", "Family/names_v110.h5", .block("BTLF"), 10, .value(0x25, 1),
      "/group_9", "the link has version 111; 1 can be read", .unsupported),
    HostileFile(
      "an object behind its heap", "Family/names_v110.h5", .block("BTLF"), 11,
      .value(0xFFFF_FFF0, 4), "/group_9",
      "refers to position 4294967280 of a fractal heap that is smaller"),
    HostileFile(
      "an object in the head of its block", "Family/names_v110.h5", .block("BTLF"), 11,
      .value(3, 4), "/group_9", "refers to the head of a block of the fractal heap"),
    HostileFile(
      "an object of no bytes", "Family/names_v110.h5", .block("BTLF"), 15, .value(0, 2), "/group_9",
      "refers to 0 bytes at 111 of a block of 512"),
    HostileFile(
      "an object larger than its block", "Family/names_v110.h5", .block("BTLF"), 15,
      .value(0xFFFF, 2), "/group_9", "refers to 65535 bytes at 111 of a block of 512"),
    HostileFile(
      "objects of a heap that overlap", "Family/names_v110.h5", .block("BTLF"), 15, .value(400, 2),
      "/group_9", "the fractal heap has objects that overlap"),
    HostileFile(
      "a table whose block is behind the end", "Family/packed_heap.h5", .block("FHIB"), 17,
      .value(1 << 40, 8), "/many",
      "the fractal heap's block is at bytes 1099511627776 to 1099511627880, beyond the end of the file at 11925"
    ),
    HostileFile(
      "a table whose block is missing", "Family/packed_heap.h5", .block("FHIB"), 17,
      .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/many",
      "refers to position 429 of a fractal heap that is smaller"),
    HostileFile(
      "a packed block of more than the file has", "Family/packed_heap.h5", .block("FHIB"), 25,
      .value(1 << 40, 8), "/many",
      "the fractal heap's block is at bytes 10875 to 1099511638651, beyond the end of the file at 11925"
    ),
    HostileFile(
      "a packed block whose mask says that it is not packed", "Family/packed_heap.h5",
      .block("FHIB"), 33, .value(0xFFFF_FFFF, 4), "/many",
      "104 bytes are unpacked, expected 512, with the filter mask 4294967295"),
    HostileFile(
      "a shared message table without its signature", "Family/shared_list.h5", .block("SMTB"), 0,
      .value(0x58585858, 4), nil, "the shared message table does not begin with its signature SMTB"),
    HostileFile(
      "shared messages whose heap is behind the end", "Family/shared_list.h5", .block("SMTB"), 26,
      .value(1 << 40, 8), "/g0",
      "the fractal heap is at bytes 1099511627776 to 1099511627777, beyond the end of the file at 32559"
    ),
    HostileFile(
      "shared messages of another kind", "Family/shared_list.h5", .block("SMTB"), 6, .value(0, 2),
      "/g0", "refers to a shared message that the file does not have"),
  ]
}
