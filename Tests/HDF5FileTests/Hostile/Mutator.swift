import Bytes

/// Changes the metadata of a file here and there.
package struct Mutator {
  private var random: SplitMix64
  /// Values that are at the edge of something.
  private static let edges: [UInt64] = [
    0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, 0xFFFF_FFFF,
    0x1_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max, .max - 1,
  ]

  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The same bytes with one to four changes.
  package mutating func change(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0...Int.random(in: 0...3, using: &random) {
      let offset = position(in: bytes)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[offset] = .random(in: 0...255, using: &random)
      case 2: bytes[offset] = bytes[offset] &+ (Bool.random(using: &random) ? 1 : 255)
      case 3: write(Self.edges.randomElement(using: &random) ?? 0, &bytes, at: offset)
      case 4:
        // An address or number from elsewhere in the file.
        let source = position(in: bytes)
        for index in 0..<8 where offset + index < bytes.count && source + index < bytes.count {
          bytes[offset + index] = bytes[source + index]
        }
      default: write(UInt64(position(in: bytes)), &bytes, at: offset)
      }
    }
    return bytes
  }

  private mutating func write(_ value: UInt64, _ bytes: inout [UInt8], at offset: Int) {
    let width = [1, 2, 4, 8].randomElement(using: &random) ?? 1
    for index in 0..<width where offset + index < bytes.count {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))
    }
  }

  /// A byte that is likely to mean something: most are not, since files have long runs of zeros.
  private mutating func position(in bytes: [UInt8]) -> Int {
    var offset = Int.random(in: 0..<bytes.count, using: &random)
    for _ in 0..<8 where bytes[offset] == 0 && bytes[max(0, offset - 1)] == 0 {
      offset = Int.random(in: 0..<bytes.count, using: &random)
    }
    return offset
  }
}
