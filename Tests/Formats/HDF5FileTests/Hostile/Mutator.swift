import Bytes

/// Mutates files: the bytes of any file, and the words of text files.
package struct Mutator {
  private var random: SplitMix64
  /// Boundary values.
  private static let edges: [UInt64] = [
    0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, 0xFFFF_FFFF,
    0x1_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max, .max - 1,
  ]

  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Returns the bytes with one to four changes. Half of the text files keep their syntax.
  package mutating func change(_ original: [UInt8]) -> [UInt8] {
    if Self.isText(original), Bool.random(using: &random) { return changeWords(original) }
    var bytes = original
    for _ in 0...Int.random(in: 0...3, using: &random) {
      let offset = position(in: bytes)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[offset] = .random(in: 0...255, using: &random)
      case 2: bytes[offset] = bytes[offset] &+ (Bool.random(using: &random) ? 1 : 255)
      case 3: write(Self.edges.randomElement(using: &random) ?? 0, &bytes, at: offset)
      case 4:
        // This copies an address or number from elsewhere in the file.
        let source = position(in: bytes)
        for index in 0..<8 where offset + index < bytes.count && source + index < bytes.count {
          bytes[offset + index] = bytes[source + index]
        }
      default: write(UInt64(position(in: bytes)), &bytes, at: offset)
      }
    }
    return bytes
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
  }

  /// Boundary values in text form.
  private static let numbers = [
    "0", "1", "-1", "2", "0.5", "-0.5", "1e-9", "1e30", "65536", "1000000", "2147483647",
    "2147483648", "9223372036854775807", "9223372036854775808",
  ]

  /// Returns the text with one to four words replaced by others, numbers by numbers.
  private mutating func changeWords(_ text: [UInt8]) -> [UInt8] {
    var parts = Self.parts(text)
    let words = parts.indices.filter { parts[$0].first.map(Self.isWord) ?? false }
    let numbers = words.filter { Self.isNumber(parts[$0]) }
    for _ in 0...Int.random(in: 0...3, using: &random) {
      if Bool.random(using: &random), let index = numbers.randomElement(using: &random) {
        parts[index] = ArraySlice((Self.numbers.randomElement(using: &random) ?? "0").utf8)
      } else if let index = words.randomElement(using: &random),
        let other = words.randomElement(using: &random)
      {
        parts[index] = parts[other]
      }
    }
    return Array(parts.joined())
  }

  /// Splits the text into words and the characters between them.
  private static func parts(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var start = 0
    for index in text.indices.dropFirst() where isWord(text[index]) != isWord(text[index - 1]) {
      parts.append(text[start..<index])
      start = index
    }
    return parts + [text[start...]]
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
    Double(String(decoding: word, as: UTF8.self)) != nil
  }

  private mutating func write(_ value: UInt64, _ bytes: inout [UInt8], at offset: Int) {
    let width = [1, 2, 4, 8].randomElement(using: &random) ?? 1
    for index in 0..<width where offset + index < bytes.count {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))
    }
  }

  /// Returns the position of a byte that is likely to matter: files have long runs of zeros, which
  /// do not.
  private mutating func position(in bytes: [UInt8]) -> Int {
    var offset = Int.random(in: 0..<bytes.count, using: &random)
    for _ in 0..<8 where bytes[offset] == 0 && bytes[max(0, offset - 1)] == 0 {
      offset = Int.random(in: 0..<bytes.count, using: &random)
    }
    return offset
  }
}
