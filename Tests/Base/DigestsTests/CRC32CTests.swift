import Bytes
import Digests
import Testing

@Suite struct CRC32CTests {
  @Test("The checksum is that of RFC 3720, in one part or several")
  func vectors() {
    let digits = Array("123456789".utf8)
    #expect(CRC32C(of: digits.span.bytes).value == 0xE306_9283)
    #expect(CRC32C(of: [UInt8](repeating: 0, count: 32).span.bytes).value == 0x8A91_36AA)
    #expect(CRC32C(of: [UInt8](repeating: 0xFF, count: 32).span.bytes).value == 0x62A8_AB43)
    var parts = CRC32C()
    for byte in digits { parts.update([byte].span.bytes) }
    #expect(parts == CRC32C(of: digits.span.bytes))
    #expect(CRC32C().value == 0)
  }
}
