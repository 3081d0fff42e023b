/// The secret in the address of the pages. Whoever does not know it is refused.
package struct AccessToken: Sendable {
  /// 32 hexadecimal digits.
  package let text: String

  /// Makes a token of 128 bits of the system's random generator for cryptography.
  package init() {
    var generator = SystemRandomNumberGenerator()
    let digits = (0..<2).map { _ in
      let part = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - part.count) + part
    }
    text = digits.joined()
  }

  /// Whether a text is the token. The time that takes says nothing about where they differ.
  package func matches(_ candidate: some StringProtocol) -> Bool {
    let (own, other) = (Array(text.utf8), Array(candidate.utf8))
    guard own.count == other.count else { return false }
    return zip(own, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
