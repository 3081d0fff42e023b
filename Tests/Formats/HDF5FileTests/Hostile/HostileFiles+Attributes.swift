import Bytes

/// The rules about attributes, each broken once.
extension HostileFiles {
  static let attributes: [HostileFile] = [
    HostileFile(
      "an attribute of version 9", "Family/attributes_v110.h5", .message("/attributes_8", 0x0C), 0,
      .value(9, 1), "/attributes_8", "the attribute has version 9; 1 to 3 can be read", .unsupported
    ),
    HostileFile(
      "an attribute without a name", "Family/attributes_v110.h5", .message("/attributes_8", 0x0C),
      2, .value(0, 2), "/attributes_8", "an attribute's name has no end"),
    HostileFile(
      "an attribute whose name is longer than the message", "Family/attributes_v110.h5",
      .message("/attributes_8", 0x0C), 2, .value(0xFFFF, 2), "/attributes_8",
      "has metadata that end too early: 65535 bytes needed, 34 left"),
    HostileFile(
      "an attribute whose type is longer than the message", "Family/attributes_v110.h5",
      .message("/attributes_8", 0x0C), 4, .value(0xFFFF, 2), "/attributes_8",
      "attribute \"größe 0\": has metadata that end too early: 65535 bytes needed, 24 left"),
    HostileFile(
      "an attribute whose shape is longer than the message", "Family/attributes_v110.h5",
      .message("/attributes_8", 0x0C), 6, .value(0xFFFF, 2), "/attributes_8",
      "attribute \"größe 0\": has metadata that end too early: 65535 bytes needed, 12 left"),
    HostileFile(
      "an attribute whose type is missing", "Family/attributes_v110.h5",
      .message("/attributes_8", 0x0C), 4, .value(0, 2), "/attributes_8",
      "attribute \"größe 0\": has metadata that end too early: 1 bytes needed, 0 left"),
    HostileFile(
      "an attribute whose name has no end", "Family/attributes_v110.h5",
      .message("/attributes_8", 0x0C), 2, .value(1, 2), "/attributes_8",
      "an attribute's name has no end"),
    HostileFile(
      "attributes whose heap is behind the end", "Family/attributes_v110.h5",
      .message("/attributes_60", 0x15), 2, .value(1 << 40, 8), "/attributes_60",
      "the fractal heap is at bytes 1099511627776 to 1099511627777, beyond the end of the file at 28967"
    ),
    HostileFile(
      "attributes without a B-tree", "Family/attributes_v110.h5", .message("/attributes_60", 0x15),
      10, .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/attributes_60", "the B-tree of names has no address"),
    HostileFile(
      "attributes that belong to another object", "Family/attributes_v110.h5",
      .message("/attributes_9", 0x15), 2,
      .copy(.message("/attributes_60", 0x15), offset: 2, count: 16), "/attributes_9",
      "the B-tree of names shares a block with another one"),
    HostileFile(
      "an attribute info of version 3", "Family/attributes_v110.h5",
      .message("/attributes_60", 0x15), 0, .value(3, 1), "/attributes_60",
      "the info message has version 3; 0 can be read", .unsupported),
    HostileFile(
      "a global heap of version 2", "Family/attributes_v110.h5", .block("GCOL"), 4, .value(2, 1),
      "/kinds", "attribute \"many\": the global heap has version 2; 1 can be read", .unsupported),
    HostileFile(
      "a global heap larger than the file", "Family/attributes_v110.h5", .block("GCOL"), 8,
      .value(1 << 40, 8), "/kinds",
      "attribute \"many\": the global heap has blocks that overlap: together they are larger than the file"
    ),
    HostileFile(
      "a global heap of no bytes", "Family/attributes_v110.h5", .block("GCOL"), 8, .value(0, 8),
      "/kinds", "attribute \"many\": has metadata that end too early: 16 bytes needed, 0 left"),
    HostileFile(
      "a global heap without its signature", "Family/attributes_v110.h5", .block("GCOL"), 0,
      .value(0x58585858, 4), "/kinds",
      "attribute \"many\": the global heap does not begin with its signature GCOL"),
    HostileFile(
      "a string of an object that is not there", "attributes.h5", .block("GCOL"), 16,
      .value(999, 2), "/group",
      "attribute \"variable_ascii\": refers to 5 bytes of object 1 of the global heap at 2216, which has no such object"
    ),
    HostileFile(
      "a string longer than its object", "attributes.h5", .block("GCOL"), 24, .value(1, 8),
      "/group",
      "attribute \"variable_ascii\": refers to 5 bytes of object 1 of the global heap at 2216, which has no such object"
    ),
    HostileFile(
      "an object larger than its global heap", "Family/attributes_v110.h5", .block("GCOL"), 24,
      .value(1 << 40, 8), "/kinds",
      "attribute \"many\": has metadata that end too early: 1099511627776 bytes needed, 4064 left"),
    HostileFile(
      "an object of a global heap whose size overflows", "Family/attributes_v110.h5",
      .block("GCOL"), 24, .value(0x7FFF_FFFF_FFFF_FFF0, 8), "/kinds",
      "attribute \"many\": has metadata that end too early: 9223372036854775792 bytes needed, 4064 left"
    ),
    HostileFile(
      "two objects of one number in a global heap", "Family/attributes_v110.h5", .block("GCOL"), 16,
      .value(2, 2), "/kinds", "attribute \"many\": the global heap has two objects 2"),
  ]
}
