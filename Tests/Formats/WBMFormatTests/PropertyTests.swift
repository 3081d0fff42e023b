import Bytes
import ProtobufWire
import Testing

@testable import WBMFormat

@Suite("Random headers")
struct PropertyTests {
  @Test("A header turns into bytes and back into itself", arguments: 0..<100)
  func header(seed: UInt64) throws {
    var random = RandomHeader(seed: seed)
    let header = random.header()
    try header.checkRules()
    let bytes = try header.serialized()
    let read = try WBMHeader(bytes.span.bytes, limits: ProtobufLimits())
    #expect(try read.serialized() == bytes)
    #expect(try cleared(read) == cleared(header))
  }

  @Test("A file reads back equal, is intact, and is the same bytes each time", arguments: 0..<40)
  func file(seed: UInt64) throws {
    var random = RandomHeader(seed: seed)
    let header = random.header()
    let bytes = try TestFiles.bytes(of: header)
    #expect(try TestFiles.bytes(of: header) == bytes)
    let file = try TestFiles.open(bytes)
    #expect(try cleared(file.header) == cleared(header))
    try file.checkIntegrity()
    let last = header.tensors.indices.last.map { file.range(ofTensor: $0).upperBound }
    #expect((last ?? file.tensorDataOffset) == bytes.count)
  }

  @Test("NaN and infinities keep their bits")
  func bits() throws {
    let patterns: [UInt64] = [0x7FF8_0000_0000_0001, 0xFFF4_0000_0000_0003, 0x8000_0000_0000_0000]
    let numbers = patterns.map { Double(bitPattern: $0) }
    var header = SampleHeaders.tiny
    header.graph.nodes[0].attributes = [WBMAttribute(name: "a", value: .reals(numbers))]
    let read = try TestFiles.open(TestFiles.bytes(of: header)).header
    guard case .reals(let result) = read.graph.nodes[0].attributes[0].value else {
      Issue.record("another type")
      return
    }
    #expect(result.map(\.bitPattern) == patterns)
  }

  @Test("A model without tensors is a file of preamble and header")
  func empty() throws {
    let graph = WBMGraph(
      values: [WBMValue(name: "x", elementType: .bool, dimensions: [])],
      inputs: [WBMPort(name: "x", value: 0)], outputs: [WBMPort(name: "y", value: 0)])
    let header = WBMHeader(graph: graph, provenance: WBMProvenance(writer: "test"), schema: [])
    let bytes = try TestFiles.bytes(of: header)
    #expect(bytes.count % 64 == 0)
    #expect(try TestFiles.open(bytes).header == header)
  }

  /// A header without the fields that the writer sets.
  private func cleared(_ header: WBMHeader) throws -> WBMHeader {
    var header = header
    for index in header.tensors.indices {
      header.tensors[index].offset = 0
      header.tensors[index].byteCount = 0
      header.tensors[index].digest = nil
    }
    return header
  }
}
