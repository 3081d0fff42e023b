import Bytes
import Testing
import WBMFormat

@Suite("Damage")
struct DamageTests {
  /// Two tensors with padding between them.
  private static let file: [UInt8] = {
    var model = RawModel()
    model.addTensor()
    return model.file
  }()

  /// Whether opening the file or checking the tensors detects damage.
  private func isDetected(_ bytes: [UInt8]) -> Bool {
    TestFiles.failure { () throws(WeighbridgeError) in
      try TestFiles.open(bytes).checkIntegrity()
    } != nil
  }

  @Test("An intact file passes the integrity check")
  func whole() {
    #expect(!isDetected(Self.file))
  }

  @Test("A file cut off at any length is refused when it is opened")
  func truncation() {
    #expect(Self.file.count > 64)
    for count in Self.file.indices {
      let bytes = Array(Self.file[..<count])
      let error = TestFiles.failure { () throws(WeighbridgeError) in
        _ = try TestFiles.open(bytes)
      }
      #expect(error?.code == .truncated, "\(count) bytes")
    }
  }

  @Test("Every single flipped bit is noticed")
  func flippedBits() {
    #expect(Self.file.count > 64)
    for offset in Self.file.indices {
      for bit in 0..<8 {
        var bytes = Self.file
        bytes[offset] ^= 1 << bit
        #expect(isDetected(bytes), "bit \(bit) of byte \(offset)")
      }
    }
  }

  @Test("Every damaged tensor is named")
  func names() throws {
    var bytes = Self.file
    bytes[bytes.count - 1] ^= 1
    bytes[bytes.count - 76] ^= 1
    bytes[bytes.count - 20] ^= 1
    let file = try TestFiles.open(bytes)
    #expect(file.damage() == [.tensor(0), .padding(before: 1), .tensor(1)])
    let error = TestFiles.failure { () throws(WeighbridgeError) in try file.checkIntegrity() }
    #expect(error?.code == .damaged)
    #expect(error?.reason.contains("tensor #0 w") == true)
    #expect(error?.reason.contains("tensor #1 v") == true)
  }

  @Test("No flipped bit of a header whose digest fits makes the reader trap")
  func headerBits() throws {
    var sample = SampleHeaders.full
    sample.schema = []
    let whole = try TestFiles.open(TestFiles.bytes(of: sample))
    let header = try whole.header.serialized()
    let data = whole.store.withBytes { $0.copied(whole.tensorDataOffset..<$0.byteCount) }
    var (readCount, refusedCount) = (0, 0)
    for offset in header.indices {
      var bytes = header
      bytes[offset] ^= 1 << UInt8(offset % 8)
      let file = RawModel.file(header: bytes, data: data)
      let error = TestFiles.failure { () throws(WeighbridgeError) in _ = try TestFiles.open(file) }
      if let error {
        let codes: Set<WeighbridgeError.Code> = [
          .malformed, .damaged, .truncated, .unsupported, .limitExceeded,
        ]
        #expect(codes.contains(error.code), "\(error)")
        refusedCount += 1
      } else {
        readCount += 1
      }
    }
    #expect(readCount > 0 && refusedCount > 0)
  }
}
