/// The filter that stores the first bytes of all elements, then the second bytes, and so on.
enum Shuffle {
  static func decode(_ bytes: [UInt8], elementSize: Int) -> [UInt8] {
    guard elementSize > 1, bytes.count / elementSize > 1 else { return bytes }
    let count = bytes.count / elementSize
    var result = bytes  // an incomplete element stays at the end
    for byte in 0..<elementSize {
      var target = byte
      for source in byte * count..<(byte + 1) * count {
        result[target] = bytes[source]
        target += elementSize
      }
    }
    return result
  }
}
