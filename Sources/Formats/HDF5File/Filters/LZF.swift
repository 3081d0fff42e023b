import Bytes

/// The compression format of Marc Lehmann's LibLZF, which h5py offers as a filter.
enum LZF {
  /// Decompresses data.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the data is truncated, refers to bytes
  ///   before its start, or decompresses to more than `limit` bytes.
  static func decode(_ bytes: [UInt8], atMost limit: Int) throws(WeighbridgeError) -> [UInt8] {
    var output: [UInt8] = []
    // Three bytes decompress to at most 264.
    output.reserveCapacity(bytes.count < limit / 88 ? 88 * bytes.count : limit)
    var index = 0
    while index < bytes.count {
      let control = Int(bytes[index])
      index += 1
      if control < 32 {
        let end = index + control + 1
        guard end <= bytes.count, output.count + control < limit else { throw damaged }
        output += bytes[index..<end]
        index = end
        continue
      }
      var length = (control >> 5) + 2
      if length == 9 {
        guard index < bytes.count else { throw damaged }
        length += Int(bytes[index])
        index += 1
      }
      guard index < bytes.count else { throw damaged }
      let start = output.count - ((control & 31) << 8) - Int(bytes[index]) - 1
      index += 1
      guard start >= 0, output.count + length <= limit else { throw damaged }
      for source in start..<start + length { output.append(output[source]) }
    }
    return output
  }

  private static var damaged: WeighbridgeError {
    WeighbridgeError(.malformed, "filtered data is damaged: it does not unpack (LZF)")
  }
}
