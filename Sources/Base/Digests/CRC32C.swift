import Bytes
import CKernels

/// A CRC-32C checksum (RFC 3720, the polynomial of Castagnoli).
package struct CRC32C: Hashable, Sendable {
  /// The checksum of the bytes so far.
  package private(set) var value: UInt32 = 0

  /// The checksum of no bytes.
  package init() {}

  /// The checksum of bytes.
  package init(of bytes: RawSpan) { update(bytes) }

  /// Adds bytes.
  package mutating func update(_ bytes: RawSpan) {
    var crc = ~value
    let added = unsafe bytes.withUnsafeBytes { buffer in
      // The bytes of the buffer, which outlives the call.
      unsafe checksum_crc32c(
        &crc, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count)
    }
    addByTables(bytes.extracting(droppingFirst: added), to: &crc)
    value = ~crc
  }

  private func addByTables(_ bytes: RawSpan, to crc: inout UInt32) {
    unsafe Self.tables.withUnsafeBufferPointer { tables in
      let words = bytes.byteCount / 8
      for word in 0..<words {
        // Eight bytes within the span, as `word` is below their number.
        let chunk = unsafe bytes.unsafeLoadUnaligned(
          fromByteOffset: word * 8, as: UInt64.self
        ).littleEndian
        let mixed = chunk ^ UInt64(crc)
        crc = 0
        for index in 0..<8 {
          // A table of 256 entries for each of the eight bytes, the last byte's first.
          let byte = Int(UInt8(truncatingIfNeeded: mixed >> (8 * UInt64(index))))
          crc ^= unsafe tables[(7 - index) * 256 + byte]
        }
      }
      for offset in words * 8..<bytes.byteCount {
        crc = unsafe crc >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[byte: offset])]
      }
    }
  }

  /// The checksum as LevelDB and TensorFlow store it, so that one that covers other checksums stays
  /// meaningful.
  package var masked: UInt32 { (value >> 15 | value << 17) &+ 0xA282_EAD8 }

  /// For a byte that is followed by 0 to 7 others, its contribution: eight tables of 256 entries.
  private static let tables: [UInt32] = {
    var tables = (0..<256).map { (byte: UInt32) in
      (0..<8).reduce(byte) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
    }
    for index in 256..<8 * 256 {
      let previous = tables[index - 256]
      tables.append(previous >> 8 ^ tables[Int(previous & 0xFF)])
    }
    return tables
  }()
}
