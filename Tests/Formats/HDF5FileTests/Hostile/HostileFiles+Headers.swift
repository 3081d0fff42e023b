import Bytes

/// The rules about object headers, each broken once.
extension HostileFiles {
  static let headers: [HostileFile] = [
    HostileFile(
      "a header of version 7", "one.h5", .header("/data"), 0, .value(7, 1), "/data",
      "there is no object header"),
    HostileFile(
      "a header larger than the file", "one.h5", .header("/data"), 8, .value(0xFFFF_FFF0, 4),
      "/data", "the object header has blocks that overlap: together they are larger than the file"),
    HostileFile(
      "a header without messages", "one.h5", .header("/data"), 8, .value(0, 4), "/data",
      "the object header has 0 bytes and says that it has 5 messages"),
    HostileFile(
      "a message larger than its block", "one.h5", .header("/data"), 18, .value(0xFFF8, 2), "/data",
      "has metadata that end too early: 65528 bytes needed, 248 left"),
    HostileFile(
      "a message that must be understood and is not known", "one.h5", .header("/data"), 16,
      .value(0x80_0018_0030, 5), "/data",
      "the object header has a message of type 48, which is not known and must not be skipped",
      .unsupported),
    HostileFile(
      "a continuation that leads to itself", "Family/attributes_earliest.h5",
      .message("/kinds", 0x10), 0, .address(.header("/kinds")), "/kinds",
      "the object header refers to one block twice"),
    HostileFile(
      "a continuation behind the end", "Family/attributes_earliest.h5", .message("/kinds", 0x10), 0,
      .value(1 << 40, 8), "/kinds",
      "a continuation block is at bytes 1099511627776 to 1099511627777, beyond the end of the file at 27743"
    ),
    HostileFile(
      "a continuation without an address", "Family/attributes_earliest.h5",
      .message("/kinds", 0x10), 0, .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/kinds",
      "the continuation block has no address"),
    HostileFile(
      "a continuation of no bytes", "Family/attributes_earliest.h5", .message("/kinds", 0x10), 8,
      .value(0, 8), "/kinds", "the continuation block has no bytes"),
    HostileFile(
      "a continuation larger than the file", "Family/attributes_earliest.h5",
      .message("/kinds", 0x10), 8, .value(1 << 40, 8), "/kinds",
      "the object header has blocks that overlap: together they are larger than the file"),
    HostileFile(
      "a continuation whose size overflows", "Family/attributes_earliest.h5",
      .message("/kinds", 0x10), 8, .value(0x7FFF_FFFF_FFFF_FFF0, 8), "/kinds",
      "the object header has blocks that overlap: together they are larger than the file"),
    HostileFile(
      "a continuation whose size no integer holds", "Family/attributes_earliest.h5",
      .message("/kinds", 0x10), 8, .value(0xFFFF_FFFF_FFFF_FFFF, 8), "/kinds",
      "has a count that is too large"),
    HostileFile(
      "a new header of version 3", "latest.h5", .header("/group"), 4, .value(3, 1), "/group",
      "the object header has version 3; 2 can be read", .unsupported),
    HostileFile(
      "a new header with a wrong checksum", "latest.h5", .header("/group"), 8, .value(0, 1),
      "/group", "the object header is damaged: its checksum is"),
    HostileFile(
      "a new header without its signature", "latest.h5", .header("/group"), 0,
      .value(0x58585858, 4), "/group", "there is no object header"),
    HostileFile(
      "a new header larger than the file", "latest.h5", .header("/group"), 5,
      .value(0xFFFF_FFFF_FFFF_FF03, 8), "/group",
      "the object header has blocks that overlap: together they are larger than the file"),
    HostileFile(
      "a new continuation without its signature", "Family/attributes_v110.h5", .block("OCHK"), 0,
      .value(0x58585858, 4), "/", "the continuation block does not begin with its signature OCHK"),
    HostileFile(
      "a new continuation with a wrong checksum", "Family/attributes_v110.h5", .block("OCHK"), 10,
      .value(0x58, 1), "/", "the object header is damaged: its checksum is"),
    HostileFile(
      "a new continuation behind the end", "Family/attributes_v110.h5", .message("/", 0x10), 0,
      .value(1 << 40, 8), "/",
      "a continuation block is at bytes 1099511627776 to 1099511627777, beyond the end of the file at 28967"
    ),
    HostileFile(
      "a new continuation that is the header", "Family/attributes_v110.h5", .message("/", 0x10), 0,
      .address(.header("/")), "/", "the continuation block does not begin with its signature OCHK"),
  ]
}
