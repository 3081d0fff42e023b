import Bytes
import Testing

/// Reading little-endian numbers front to back.
@Suite struct ByteCursorTests {
  private let bytes: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88, 0xFF]

  @Test("Integers of each width are read with the least significant byte first")
  func integers() throws {
    var cursor = ByteCursor(0..<9)
    #expect(try cursor.integer(UInt8.self, from: bytes.span.bytes) == 0x01)
    #expect(try cursor.integer(UInt16.self, from: bytes.span.bytes) == 0x0302)
    #expect(try cursor.integer(UInt32.self, from: bytes.span.bytes) == 0x0706_0504)
    #expect(cursor.offset == 7 && cursor.remaining == 2)
    cursor = ByteCursor(1..<9)
    #expect(try cursor.integer(UInt64.self, from: bytes.span.bytes) == 0xFF88_0706_0504_0302)
    #expect(cursor.remaining == 0)
  }

  @Test("Bytes are copied and ranges skipped from the cursor's position")
  func runs() throws {
    var cursor = ByteCursor(2..<8)
    #expect(try cursor.skip(2, in: bytes.span.bytes) == 2..<4)
    #expect(try cursor.bytes(3, from: bytes.span.bytes) == [5, 6, 7])
    #expect(try cursor.bytes(0, from: bytes.span.bytes) == [])
    #expect(cursor.offset == 7 && cursor.end == 8)
  }

  @Test(
    "Reading past the end is an error at the cursor's position, and the cursor does not move",
    arguments: [3, 4, Int.max, -1, Int.min])
  func truncation(_ count: Int) throws {
    var cursor = ByteCursor(6..<8)
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try cursor.bytes(count, from: bytes.span.bytes)
    }
    #expect(error?.code == .malformed && error?.place.position == .byte(6))
    #expect(error?.reason == "needs \(count) bytes, but 2 are left")
    #expect(throws: WeighbridgeError.self) { _ = try cursor.skip(count, in: bytes.span.bytes) }
    #expect(cursor.offset == 6)
  }

  @Test("A cursor's range may extend beyond the bytes, which then limit it")
  func shortBytes() throws {
    var cursor = ByteCursor(8..<Int.max)
    #expect(throws: WeighbridgeError.self) {
      _ = try cursor.integer(UInt16.self, from: bytes.span.bytes)
    }
    #expect(try cursor.integer(UInt8.self, from: bytes.span.bytes) == 0xFF)
    var outside = ByteCursor(20..<30)
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try outside.integer(UInt8.self, from: bytes.span.bytes)
    }
    #expect(error?.reason == "needs 1 byte, but 0 are left")
  }

  @Test("Integers are appended in as many bytes as asked for, least significant first")
  func appending() {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: 0x0102_0304, byteCount: 4)
    bytes.append(littleEndian: 0x0102_0304, byteCount: 2)
    bytes.append(littleEndian: -2, byteCount: 8)
    bytes.append(littleEndian: 1, byteCount: 0)
    #expect(bytes == [4, 3, 2, 1, 4, 3, 0xFE] + [UInt8](repeating: 0xFF, count: 7))
  }
}
