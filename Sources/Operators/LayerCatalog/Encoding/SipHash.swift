/// The hash with a key that TensorFlow calls strong: SipHash-2-4 (Aumasson and Bernstein 2012).
struct SipHash {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  /// Returns the hash of some bytes.
  static func hash(of bytes: [UInt8], key: (UInt64, UInt64)) -> UInt64 {
    var hash = SipHash(key: key)
    let rest = bytes.count % 8
    for start in stride(from: 0, to: bytes.count - rest, by: 8) {
      hash.add(bytes[start..<start + 8].littleEndian)
    }
    hash.add(bytes.suffix(rest).littleEndian | UInt64(bytes.count) << 56)
    return hash.finish()
  }

  private init(key: (UInt64, UInt64)) {
    state = (
      0x736f_6d65_7073_6575 ^ key.0, 0x646f_7261_6e64_6f6d ^ key.1,
      0x6c79_6765_6e65_7261 ^ key.0, 0x7465_6462_7974_6573 ^ key.1
    )
  }

  private mutating func add(_ word: UInt64) {
    state.3 ^= word
    for _ in 0..<2 { round() }
    state.0 ^= word
  }

  private mutating func finish() -> UInt64 {
    state.2 ^= 0xff
    for _ in 0..<4 { round() }
    return state.0 ^ state.1 ^ state.2 ^ state.3
  }

  private mutating func round() {
    state.0 &+= state.1
    state.2 &+= state.3
    state.1 = state.1.rotatedLeft(by: 13) ^ state.0
    state.3 = state.3.rotatedLeft(by: 16) ^ state.2
    state.0 = state.0.rotatedLeft(by: 32) &+ state.3
    state.2 &+= state.1
    state.1 = state.1.rotatedLeft(by: 17) ^ state.2
    state.3 = state.3.rotatedLeft(by: 21) ^ state.0
    state.2 = state.2.rotatedLeft(by: 32)
  }
}

extension UInt64 {
  fileprivate func rotatedLeft(by bits: UInt64) -> UInt64 { self << bits | self >> (64 - bits) }
}

extension ArraySlice<UInt8> {
  /// The integer of at most 8 bytes, the least significant first.
  fileprivate var littleEndian: UInt64 { reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}
