import Testing

@Suite("Schemas/wbm.md")
struct SpecificationTests {
  @Test("Its example is the file that the writer makes")
  func example() throws {
    let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let page = String(decoding: try TestFiles.read("\(root)/Schemas/wbm.md"), as: UTF8.self)
    var bytes: [UInt8] = []
    for line in page.split(separator: "\n") where line.starts(with: "    00") {
      let digits = line.dropFirst("    0000: ".count).prefix(16 * 3)
      bytes += digits.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }
    #expect(try bytes == WBMFileBytes.tiny())
  }
}
