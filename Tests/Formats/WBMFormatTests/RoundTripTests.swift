import Bytes
import Digests
import Testing
import WBMFormat

@Suite("Writing and reading")
struct RoundTripTests {
  @Test("A written file reads back equal", arguments: ["tiny", "full"])
  func roundTrip(name: String) throws {
    let header = name == "tiny" ? SampleHeaders.tiny : SampleHeaders.full
    let folder = try TemporaryFolder()
    try TestFiles.write(header, to: folder.file("a"))
    let file = try WBMFile(path: folder.file("a"))
    var read = file.header
    for index in header.tensors.indices {
      let contents = TestFiles.contents(of: header.tensors[index], seed: index)
      let range = file.range(ofTensor: index)
      #expect(range.lowerBound % 64 == 0)
      #expect(file.store.withBytes { $0.copied(range) } == contents)
      #expect(read.tensors[index].digest == XXH3Digest(of: contents.span.bytes))
      read.tensors[index].offset = 0
      read.tensors[index].byteCount = 0
      read.tensors[index].digest = nil
    }
    #expect(read == header)
    #expect(file.version == WBMVersion(major: 1, minor: 0))
    try file.checkIntegrity()
  }
}
