import Bytes

/// The rules about superblocks, each broken once.
extension HostileFiles {
  static let superblocks: [HostileFile] = [
    HostileFile(
      "addresses of 3 bytes", "one.h5", .byte(0), 13, .value(3, 1), nil,
      "has HDF5 addresses of 3 bytes; 2, 4 and 8 can be read", .unsupported),
    HostileFile(
      "sizes of 0 bytes", "one.h5", .byte(0), 14, .value(0, 1), nil,
      "has HDF5 addresses of 0 bytes; 2, 4 and 8 can be read", .unsupported),
    HostileFile(
      "an end of file behind the end", "one.h5", .byte(0), 40, .value(1 << 40, 8), nil,
      "is cut off: it has 2064 bytes, but its superblock says 1099511627776"),
    HostileFile(
      "an end of file that no integer holds", "one.h5", .byte(0), 40,
      .value(0xFFFF_FFFF_FFFF_FF00, 8), nil, "has an address beyond any file"),
    HostileFile(
      "a base address that no integer holds", "one.h5", .byte(0), 24,
      .value(0xFFFF_FFFF_FFFF_FFFF, 8), nil, "the superblock's base has no address"),
    HostileFile(
      "a driver of many files", "one.h5", .byte(0), 48, .value(96, 8), nil,
      "is part of a file split by HDF5's family or multi driver, which cannot be read; join the parts with HDF5's h5repart or h5repack",
      .unsupported),
    HostileFile(
      "a root without an address", "one.h5", .byte(0), 64, .value(0xFFFF_FFFF_FFFF_FFFF, 8), nil,
      "the root group has no address"),
    HostileFile(
      "a root behind the end", "one.h5", .byte(0), 64, .value(1 << 40, 8), "/",
      "the object header is at bytes 1099511627776 to 1099511627777, beyond the end of the file at 2064"
    ),
    HostileFile(
      "a root whose address overflows", "one.h5", .byte(0), 64, .value(0x7FFF_FFFF_FFFF_FFF0, 8),
      "/",
      "the object header is at bytes 9223372036854775792 to 9223372036854775793, beyond the end of the file at 2064"
    ),
    HostileFile(
      "the superblock as the root", "one.h5", .byte(0), 64, .value(0, 8), "/",
      "there is no object header"),
    HostileFile(
      "a file that is being written", "latest.h5", .byte(0), 11, .value(5, 1), nil,
      "is still being written, or was not closed by the program that wrote it; when none has it open, HDF5's h5clear -s makes it readable"
    ),
    HostileFile(
      "a superblock with a wrong checksum", "latest.h5", .byte(0), 44, .value(0, 4), nil,
      "the superblock is damaged: its checksum is"),
    HostileFile(
      "an extension behind the end", "latest.h5", .byte(0), 20, .value(1 << 40, 8), nil,
      "the object header is at bytes 1099511627776 to 1099511627777, beyond the end of the file at 7184"
    ),
    HostileFile(
      "a superblock of version 2 with addresses of 1 byte", "latest.h5", .byte(0), 9, .value(1, 1),
      nil, "has HDF5 addresses of 1 bytes; 2, 4 and 8 can be read", .unsupported),
    HostileFile(
      "an extension that is the root", "latest.h5", .byte(0), 20, .value(7, 8), nil,
      "there is no object header"),
  ]
}
