import Bytes
import Foundation
import SafetensorsFormat
import TestSupport
import Testing

/// Safetensors files, byte by byte as the format's README specifies them.
@Suite struct SafetensorsTests {
  private func read(_ path: String) throws -> SafetensorsFile {
    try ByteStore(try MappedFile(path: path)).withBytes { (bytes) throws(WeighbridgeError) in
      try SafetensorsFile(bytes)
    }
  }

  @Test("Written tensors read back equal, for every element type")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    let types = ElementType.allCases.sorted { $0.byteCount > $1.byteCount }
    let written =
      types.map {
        SafetensorsWriter.Entry(name: "a/\($0.rawValue)", elementType: $0, shape: [2, 3])
      } + [
        .init(name: "scalar", elementType: .int8, shape: []),
        .init(name: "nothing", elementType: .float32, shape: [0, 4]),
      ]
    var writer = try SafetensorsWriter(
      path: folder.file("t.safetensors"), entries: written,
      metadata: [(key: "author", value: "A. \"Ü\" Author"), (key: "empty", value: "")])
    for entry in written {
      let count = entry.shape.reduce(entry.elementType.byteCount, *)
      try writer.append([UInt8](repeating: UInt8(count), count: count).span.bytes)
    }
    try writer.commit(replacing: false)
    let file = try read(folder.file("t.safetensors"))
    let bytes = [UInt8](try Files.read(folder.file("t.safetensors")))
    #expect(file.tensors.count == written.count)
    #expect(file.metadata.map(\.key) == ["author", "empty"])
    #expect(file.metadata.map(\.value) == ["A. \"Ü\" Author", ""])
    let tensors = Dictionary(file.tensors.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    for entry in written {
      let read = try #require(tensors[entry.name])
      #expect(read.elementType == entry.elementType)
      #expect(read.shape == entry.shape)
      #expect(read.range.isEmpty || read.range.lowerBound % entry.elementType.byteCount == 0)
      let count = entry.shape.reduce(entry.elementType.byteCount, *)
      #expect(Array(bytes[read.range]) == [UInt8](repeating: UInt8(count), count: count))
    }
  }

  @Test("The layout is a length, a JSON text padded to eight bytes, and the elements")
  func layout() throws {
    let folder = try TemporaryFolder()
    var writer = try SafetensorsWriter(
      path: folder.file("t.safetensors"),
      entries: [.init(name: "w", elementType: .uint8, shape: [3])], metadata: [])
    try writer.append(([7, 8, 9] as [UInt8]).span.bytes)
    try writer.commit(replacing: false)
    let text = #"{"w":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}}"#
    let padded = text + String(repeating: " ", count: 8 - text.utf8.count % 8)
    var expected = Data([UInt8(padded.utf8.count), 0, 0, 0, 0, 0, 0, 0])
    expected += Data(padded.utf8) + Data([7, 8, 9])
    #expect(try Files.read(folder.file("t.safetensors")) == expected)
  }

  @Test("Two tensors with the same name, and one named like the metadata, are refused")
  func names() throws {
    let folder = try TemporaryFolder()
    for names in [["w", "w"], ["__metadata__"]] {
      let error = failure {
        _ = try SafetensorsWriter(
          path: folder.file("t.safetensors"),
          entries: names.map { .init(name: $0, elementType: .int8, shape: [1]) }, metadata: [])
      }
      #expect(error?.code == .mismatch)
    }
    #expect(folder.names.isEmpty)
  }
}
