import Bytes
import Testing

/// Base64 as RFC 4648 has it.
@Suite struct Base64Tests {
  @Test(
    "The examples of RFC 4648, section 10, are read",
    arguments: [
      ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
      ("Zm9vYmE=", "fooba"), ("Zm9vYmFy", "foobar"),
    ])
  func examples(_ text: String, _ expected: String) {
    #expect([UInt8](base64: text) == Array(expected.utf8))
  }

  @Test("All letters of the alphabet and line breaks are read")
  func alphabet() {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\r\n0123456789+/\n"
    // The numbers 0 to 63 in 6 bits each.
    let bits = (0..<64).flatMap { number in (0..<6).map { number >> (5 - $0) & 1 } }
    let expected = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
    }
    #expect([UInt8](base64: letters) == expected)
  }

  @Test(
    "Characters outside the alphabet, text after the padding, and a surplus character are refused",
    arguments: ["Zm9v!", "Zm9v Zg==", "Zm-_", "Zg==Zg==", "Z", "Zm9vY", "=Zg="])
  func malformed(_ text: String) { #expect([UInt8](base64: text) == nil) }
}
