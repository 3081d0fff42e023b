extension [UInt8] {
  /// Decodes Base64 (RFC 4648, section 4); `nil` when the text contains anything but its alphabet,
  /// line breaks and padding at the end, or is cut off.
  package init?(base64 text: String) {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    let values = Dictionary(uniqueKeysWithValues: zip(alphabet, UInt32(0)..<64))
    var (bits, bitCount): (UInt32, Int) = (0, 0)
    var isPadded = false
    self = []
    for letter in text.utf8 where letter != 0x0A && letter != 0x0D {
      if letter == UInt8(ascii: "=") {
        isPadded = true
        continue
      }
      guard !isPadded, let value = values[letter] else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
    }
    if bitCount == 6 { return nil }  // a single letter, which is less than a byte
  }
}

extension [UInt8] {
  /// The bytes in Base64 (RFC 4648, section 4), on one line, with padding.
  package var base64: String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((count + 2) / 3 * 4)
    for start in stride(from: 0, to: count, by: 3) {
      let group = self[start..<Swift.min(start + 3, count)]
      let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for index in 0...group.count {
        text.append(alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)])
      }
      text += [UInt8](repeating: UInt8(ascii: "="), count: 3 - group.count)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
