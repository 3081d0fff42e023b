import Bytes

/// The rules about filters, each broken once.
extension HostileFiles {
  static let filters: [HostileFile] = [
    HostileFile(
      "a filter pipeline of version 9", "Family/filters_earliest.h5", .message("/deflate", 0x0B), 0,
      .value(9, 1), "/deflate", "the filter pipeline has version 9; 1 to 2 can be read",
      .unsupported),
    HostileFile(
      "a pipeline of 200 filters", "Family/filters_earliest.h5", .message("/deflate", 0x0B), 1,
      .value(200, 1), "/deflate", "has 200 filters; HDF5 has at most 32"),
    HostileFile(
      "a filter whose name is longer than the message", "Family/filters_earliest.h5",
      .message("/deflate", 0x0B), 10, .value(0xFFF8, 2), "/deflate",
      "has metadata that end too early: 65528 bytes needed, 16 left"),
    HostileFile(
      "a filter with more parameters than bytes", "Family/filters_earliest.h5",
      .message("/deflate", 0x0B), 14, .value(0xFFFF, 2), "/deflate",
      "has metadata that end too early: 4 bytes needed, 0 left"),
    HostileFile(
      "the filter szip", "Family/filters_earliest.h5", .message("/deflate", 0x0B), 8, .value(4, 2),
      "/deflate",
      "is packed with the filter 4 (deflate); gzip, LZF, shuffle and fletcher32 can be read; HDF5's h5repack -f NONE writes a file without filters",
      .unsupported),
    HostileFile(
      "the filter nbit", "Family/filters_earliest.h5", .message("/deflate", 0x0B), 8, .value(5, 2),
      "/deflate",
      "is packed with the filter 5 (deflate); gzip, LZF, shuffle and fletcher32 can be read; HDF5's h5repack -f NONE writes a file without filters",
      .unsupported),
    HostileFile(
      "the filter blosc", "Family/filters_earliest.h5", .message("/deflate", 0x0B), 8,
      .value(32001, 2), "/deflate",
      "is packed with the filter 32001 (deflate); gzip, LZF, shuffle and fletcher32 can be read; HDF5's h5repack -f NONE writes a file without filters",
      .unsupported),
    HostileFile(
      "a filter that nobody knows", "Family/filters_earliest.h5", .message("/deflate", 0x0B), 8,
      .value(999, 2), "/deflate",
      "is packed with the filter 999 (deflate); gzip, LZF, shuffle and fletcher32 can be read; HDF5's h5repack -f NONE writes a file without filters",
      .unsupported),
    HostileFile(
      "deflated data that are none", "Family/filters_earliest.h5", .message("/lzf", 0x0B), 8,
      .value(1, 2), "/lzf", "filtered data is damaged: it does not unpack (gzip) to 256 bytes"),
    HostileFile(
      "LZF data that are none", "Family/filters_earliest.h5", .message("/deflate", 0x0B), 8,
      .value(32000, 2), "/deflate", "filtered data is damaged: it does not unpack (LZF)"),
    HostileFile(
      "a checksum where there is none", "Family/filters_earliest.h5", .message("/shuffle", 0x0B), 8,
      .value(3, 2), "/shuffle", "filtered data is damaged: its checksum (fletcher32) is wrong"),
    HostileFile(
      "a shuffle of what is checked", "Family/filters_earliest.h5", .message("/fletcher32", 0x0B),
      8, .value(2, 2), "/fletcher32", "260 bytes are unpacked, expected 256"),
  ]
}
