/// A filter that can be decoded; the raw values are those of the format and of HDF5's registry.
enum Filter: Int, Sendable {
  case deflate = 1
  case shuffle = 2
  case fletcher32 = 3
  case lzf = 32000

  /// The names of common filters that cannot be decoded.
  private static let unsupportedNames = [
    4: "szip", 5: "nbit", 6: "scaleoffset", 305: "lzo", 307: "bzip2", 32001: "blosc",
    32004: "lz4", 32008: "bitshuffle", 32013: "zfp", 32015: "zstd", 32019: "jpeg", 32026: "blosc2",
  ]

  /// Returns the reason for rejecting a filter with a number and a name.
  static func unsupportedReason(_ number: Int, _ name: some Sequence<UInt8>) -> String {
    let storedName = String(decoding: Array(name), as: UTF8.self)
    let name = storedName.isEmpty ? unsupportedNames[number] ?? "" : storedName
    return "is packed with the filter \(number)\(name.isEmpty ? "" : " (\(name))"); gzip, LZF, "
      + "shuffle and fletcher32 can be read; HDF5's h5repack -f NONE writes a file without filters"
  }
}
