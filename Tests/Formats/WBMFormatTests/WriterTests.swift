import Bytes
import Testing

@testable import WBMFormat

@Suite("The writer")
struct WriterTests {
  @Test("Pieces of any size give the same file")
  func pieces() throws {
    let folder = try TemporaryFolder()
    var header = SampleHeaders.tiny
    header.tensors[0].shape = [300_000]
    header.graph.values[1].dimensions = [.fixed(300_000)]
    let contents = TestFiles.contents(of: header.tensors[0], seed: 0)
    try TestFiles.write(header, to: folder.file("a"))
    var writer = try WBMWriter(path: folder.file("b"), header: header)
    for start in stride(from: 0, to: contents.count, by: 7777) {
      let end = min(start + 7777, contents.count)
      try writer.append(contents.span.bytes.extracting(start..<end))
    }
    try writer.commit(replacing: true)
    #expect(try TestFiles.read(folder.file("a")) == TestFiles.read(folder.file("b")))
  }

  @Test("Ranges of a mapped file give the same file")
  func ranges() throws {
    let folder = try TemporaryFolder()
    try TestFiles.write(SampleHeaders.full, to: folder.file("a"))
    let source = try WBMFile(path: folder.file("a"))
    var writer = try WBMWriter(path: folder.file("b"), header: SampleHeaders.full)
    for index in source.header.tensors.indices {
      try writer.append(source.range(ofTensor: index), of: source.store)
    }
    try writer.commit(replacing: true)
    #expect(try TestFiles.read(folder.file("a")) == TestFiles.read(folder.file("b")))
  }

  @Test("The next tensor is named, and tensors without elements are skipped")
  func order() throws {
    let folder = try TemporaryFolder()
    var writer = try WBMWriter(path: folder.file("a"), header: SampleHeaders.full)
    #expect(writer.nextTensor == 0)
    try writer.append([UInt8](repeating: 1, count: 20).span.bytes)
    #expect(writer.nextTensor == 0)
    try writer.append([UInt8](repeating: 1, count: 4).span.bytes)
    #expect(writer.nextTensor == 2)
  }

  @Test("Too few or too many bytes are refused, and the existing file stays")
  func counts() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a")
    try TestFiles.write(SampleHeaders.tiny, to: path)
    let before = try TestFiles.read(path)
    let few = TestFiles.failure { () throws(WeighbridgeError) in
      var writer = try WBMWriter(path: path, header: SampleHeaders.tiny)
      try writer.append([UInt8](repeating: 0, count: 11).span.bytes)
      try writer.commit(replacing: true)
    }
    #expect(few?.code == .mismatch)
    let many = TestFiles.failure { () throws(WeighbridgeError) in
      var writer = try WBMWriter(path: path, header: SampleHeaders.tiny)
      try writer.append([UInt8](repeating: 0, count: 13).span.bytes)
    }
    #expect(many?.code == .mismatch)
    #expect(try TestFiles.read(path) == before)
  }

  @Test("A header that breaks a rule is refused before anything is written")
  func rules() throws {
    let folder = try TemporaryFolder()
    var header = SampleHeaders.tiny
    header.graph.nodes[0].inputs = [0, 7]
    let broken = TestFiles.failure { () throws(WeighbridgeError) in
      _ = try WBMWriter(path: folder.file("a"), header: header)
    }
    #expect(broken?.code == .malformed)
    #expect(broken?.place.layer == "#0 n (add)")
    header = SampleHeaders.tiny
    header.description.author = "a\0b"
    let text = TestFiles.failure { () throws(WeighbridgeError) in
      _ = try WBMWriter(path: folder.file("a"), header: header)
    }
    #expect(text?.code == .unsupported)
  }

  @Test("An existing file is replaced only when asked")
  func replacing() throws {
    let folder = try TemporaryFolder()
    try TestFiles.write(SampleHeaders.tiny, to: folder.file("a"))
    let error = TestFiles.failure { () throws(WeighbridgeError) in
      var writer = try WBMWriter(path: folder.file("a"), header: SampleHeaders.tiny)
      try writer.append([UInt8](repeating: 0, count: 12).span.bytes)
      try writer.commit(replacing: false)
    }
    #expect(error?.code == .outputFailed)
  }

  @Test("User-defined pairs are sorted by the bytes of their keys")
  func sorting() throws {
    var header = SampleHeaders.tiny
    header.description.userDefined = ["b", "é", "a", "Z"].map { WBMKeyValue(key: $0, value: "") }
    let read = try TestFiles.open(TestFiles.bytes(of: header)).header
    #expect(read.description.userDefined.map(\.key) == ["Z", "a", "b", "é"])
  }
}
