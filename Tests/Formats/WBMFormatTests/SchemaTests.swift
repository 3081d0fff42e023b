import Bytes
import Testing
import WBMFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("The schema in the file")
struct SchemaTests {
  static let hasProtoc = system("protoc --version >/dev/null 2>&1") == 0

  @Test(
    "protoc decodes a header with nothing but the file's own schema",
    .enabled(if: SchemaTests.hasProtoc, "there is no protoc"))
  func selfDescription() throws {
    let folder = try TemporaryFolder()
    let bytes = try TestFiles.bytes(of: SampleHeaders.full)
    let file = try TestFiles.open(bytes)
    let length = bytes[16..<24].reversed().reduce(0) { $0 << 8 | Int($1) }
    try save(file.header.schema, to: folder.file("a"))
    try save(Array(bytes[64..<64 + length]), to: folder.file("b"))
    let command =
      "protoc --descriptor_set_in='\(folder.file("a"))' --decode=weighbridge.v1.Header wbm.proto "
      + "<'\(folder.file("b"))' >'\(folder.file("c"))'"
    #expect(system(command) == 0)
    let text = String(decoding: try TestFiles.read(folder.file("c")), as: UTF8.self)
    for line in ["kind: \"loop\"", "element_type: ELEMENT_TYPE_FLOAT32", "spdx: \"MIT\""] {
      #expect(text.contains(line))
    }
  }

  @Test(
    "The generated code is that of Schemas/wbm.proto",
    .enabled(if: SchemaTests.hasProtoc, "there is no protoc"))
  func generated() throws {
    let folder = try TemporaryFolder()
    let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let command =
      "cd '\(root)/Schemas' && protoc --descriptor_set_out='\(folder.file("a"))' wbm.proto"
    #expect(system(command) == 0)
    #expect(
      try TestFiles.read(folder.file("a")) == WBMSchema.bytes, "run Schemas/generate.sh to renew")
  }

  private func save(_ bytes: [UInt8], to path: String) throws {
    var file = try AtomicFile(path: path)
    try file.append(bytes.span.bytes)
    try file.commit(replacing: true)
  }
}
