import Bytes
import Testing

@testable import WBMFormat

@Suite("Editing the description")
struct RewriteTests {
  @Test("Another description leaves the tensors and their table as they are", arguments: [0, 500])
  func rewriting(length: Int) throws {
    let folder = try TemporaryFolder()
    try TestFiles.write(SampleHeaders.full, to: folder.file("a"))
    let before = try WBMFile(path: folder.file("a"))
    let description = WBMDescription(author: String(repeating: "x", count: length), inputs: [])
    try before.rewrite(to: folder.file("b"), description: description, replacing: false)
    let after = try WBMFile(path: folder.file("b"))
    #expect(after.header.description == description)
    #expect(after.header.tensors == before.header.tensors)
    #expect(after.header.graph == before.header.graph)
    #expect(after.header.provenance == before.header.provenance)
    #expect(after.tensorDataOffset != before.tensorDataOffset)
    try after.checkIntegrity()
  }

  @Test("A file may be replaced by its own edit, and an edit back gives the same bytes")
  func inPlace() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a")
    try TestFiles.write(SampleHeaders.full, to: path)
    let bytes = try TestFiles.read(path)
    let original = try WBMFile(path: path)
    try original.rewrite(
      to: path, description: WBMDescription(), provenance: WBMProvenance(writer: "other"),
      replacing: true)
    let edited = try WBMFile(path: path)
    #expect(edited.header.description == WBMDescription())
    #expect(edited.header.provenance.writer == "other")
    try edited.rewrite(
      to: path, description: original.header.description, provenance: original.header.provenance,
      replacing: true)
    #expect(try TestFiles.read(path) == bytes)
  }

  @Test("A description that does not fit the graph is refused, and the file stays")
  func refusal() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a")
    try TestFiles.write(SampleHeaders.full, to: path)
    let bytes = try TestFiles.read(path)
    let error = TestFiles.failure { () throws(WeighbridgeError) in
      try WBMFile(path: path).rewrite(
        to: path, description: WBMDescription(inputs: [WBMFeature(name: "nothing")]),
        replacing: true)
    }
    #expect(error?.code == .malformed)
    #expect(try TestFiles.read(path) == bytes)
  }
}
