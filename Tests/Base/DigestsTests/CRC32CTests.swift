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

  @Test("The checksum is what the polynomial gives bit by bit, for any number of bytes")
  func bitByBit() {
    let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 5) }
    #expect(bytes.count == 100)
    for count in bytes.indices {
      var crc = UInt32.max
      for byte in bytes[..<count] {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
      }
      #expect(CRC32C(of: Array(bytes[..<count]).span.bytes).value == ~crc, "\(count)")
    }
  }
}
