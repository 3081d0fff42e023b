import Bytes
import CoreMLFormat
import ProtobufWire
import TestSupport
import Testing

/// Files of constants, and packages.
@Suite struct MLProgramTests {
  /// A file of two constants.
  private func file() -> (bytes: [UInt8], offsets: [Int]) {
    var layout = MILBlob.Layout()
    let offsets = [layout.add(.float32, byteCount: 40), layout.add(.float16, byteCount: 6)]
    var bytes = layout.header
    for index in layout.blobs.indices {
      bytes += layout.bytes(before: index)
      bytes += [UInt8](repeating: UInt8(index + 1), count: layout.blobs[index].range.count)
    }
    #expect(bytes.count == layout.byteCount)
    return (bytes, offsets)
  }

  @Test("Records and elements begin at multiples of 64, as in the files of coremltools")
  func layout() throws {
    let (bytes, offsets) = file()
    #expect(offsets == [64, 192])
    #expect(Array(bytes[..<8]) == [2, 0, 0, 0, 2, 0, 0, 0])
    #expect(Array(bytes[64..<72]) == [0xEF, 0xBE, 0xAD, 0xDE, 2, 0, 0, 0])
    let blobs = try offsets.map { (offset) throws(WeighbridgeError) in
      try MILBlob(bytes.span.bytes, at: offset)
    }
    #expect(blobs.map(\.type) == [.float32, .float16])
    #expect(blobs.map(\.range) == [128..<168, 256..<262])
  }

  @Test("A record that is none, or whose elements are elsewhere, is refused")
  func hostile() {
    let (bytes, _) = file()
    let changes: [(offset: Int, byte: Int, value: UInt8)] = [
      (0, 0, 2), (65, 0, 2), (128, 0, 2), (1 << 40, 0, 2), (-64, 0, 2), (64, 4, 3), (64, 68, 99),
      (64, 76, 255), (64, 79, 255), (64, 84, 255), (64, 80, 0), (64, 64, 0),
    ]
    for (offset, position, value) in changes {
      var changed = bytes
      changed[position] = value
      let error = failure { _ = try MILBlob(changed.span.bytes, at: offset) }
      #expect(error != nil, "\(offset), byte \(position) = \(value)")
    }
    #expect(failure { _ = try MILBlob([UInt8]().span.bytes, at: 64) } != nil)
  }
}
