import Bytes
import DarknetFormat
import Testing

/// The headers of `.weights` files, and the small text files that accompany them.
@Suite struct HeaderTests {
  private func store(_ numbers: [Int32], dataByteCount: Int) -> ByteStore {
    let bytes = numbers.flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number >> Int32(8 * $0)) }
    }
    return ByteStore(bytes + [UInt8](repeating: 1, count: dataByteCount))
  }

  @Test(
    "The width of the counter depends on the version and on the fork",
    arguments: [
      ([0, 0, 0], 16, 16), ([0, 1, 0], 16, 16), ([0, 2, 0], 20, 20), ([0, 2, 5], 20, 20),
      ([1, 0, 0], 20, 20), ([1000, 0, 0], 20, 16), ([1001, 0, 0], 20, 16), ([0, 1001, 0], 20, 16),
    ] as [([Int32], Int, Int)])
  func counter(version: [Int32], alexeyab: Int, pjreddie: Int) throws {
    let store = store(version, dataByteCount: 20)
    let sizes = try [DarknetFork.alexeyab, .pjreddie].map {
      try DarknetWeightsHeader(store, fork: $0).byteCount
    }
    #expect(sizes == [alexeyab, pjreddie])
    let header = try DarknetWeightsHeader(store, fork: .alexeyab)
    #expect(header.isTransposed == (version[0] > 1000 || version[1] > 1000))
  }

  @Test("An invalid header is refused")
  func refusals() throws {
    let refused: [(numbers: [Int32], dataByteCount: Int, phrase: String)] = [
      ([0, 2], 4, "has 12 bytes, but the header"), ([0, 2, 0], 4, "needs 8 bytes, but 4 are left"),
      ([-1, 2, 0], 8, "is not a version"), ([0x4644_4889, 2, 0], 8, "is not a version"),
    ]
    for (numbers, dataByteCount, phrase) in refused {
      let error = #expect(throws: WeighbridgeError.self) {
        try DarknetWeightsHeader(store(numbers, dataByteCount: dataByteCount), fork: .alexeyab)
      }
      #expect(error?.code == .malformed)
      #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
    }
  }

  @Test(
    "Weights are recognized by a version, a counter and a whole number of floats after them",
    arguments: [
      ([0, 2, 5], 12, true), ([0, 1, 0], 12, true), ([0, 2, 5], 8, false), ([0, 2, 5], 13, false),
      ([0, 0, 0], 12, false), ([1002, 0, 0], 12, false), ([-1, 2, 5], 12, false),
    ] as [([Int32], Int, Bool)])
  func recognition(version: [Int32], dataByteCount: Int, isRecognized: Bool) {
    var bytes = store(version, dataByteCount: dataByteCount).withBytes {
      $0.copied(0..<$0.byteCount)
    }
    for index in 12..<min(20, bytes.count) { bytes[index] = 0 }
    #expect(DarknetWeightsHeader.recognizes(bytes.span.bytes) == isRecognized)
    if bytes.count > 20 {
      bytes[19] = 0x7F
      #expect(!DarknetWeightsHeader.recognizes(bytes.span.bytes) || version == [0, 1, 0])
    }
  }

  @Test("Lines with one parent that follow each other are a group of the tree")
  func tree() throws {
    let tree = try DarknetTree(ByteStore(Array("a -1\nb -1\r\nc 0\nd 1\ne 1\n".utf8)))
    #expect(tree.groupSizes == [2, 1, 2])
    for text in ["", "a\n", "a 0\n", "a -1\nb 5\n", "a -2\n", "a b c\n"] {
      let error = #expect(throws: WeighbridgeError.self) {
        try DarknetTree(ByteStore(Array(text.utf8)))
      }
      let phrase = text.isEmpty ? "has no classes" : "is not a name and the index"
      #expect(error?.code == .malformed)
      #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
    }
  }

  @Test("A .data file names the file with the labels")
  func data() throws {
    let data = try DarknetDataFile(
      ByteStore(Array("classes = 80\n# a\nnames = data/coco.names\n".utf8)))
    #expect(data.names?.value == "data/coco.names")
    #expect(data.names?.line == 3)
    #expect(data.classes?.value == "80")
    let error = #expect(throws: WeighbridgeError.self) {
      try DarknetDataFile(ByteStore(Array("not this\n".utf8)))
    }
    #expect(error?.code == .malformed)
    #expect(error?.reason.contains("is not a .data file") == true, "\(error as Any)")
  }
}
