import Bytes
import ProtobufWire
import Testing

@testable import WBMFormat

@Suite("Hostile files")
struct HostileTests {
  private static let folder: String = {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return "/\(root)/Samples/Hostile/wbm"
  }()

  private static let acceptedFolder =
    "/"
    + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/Samples/WBM/Accepted"

  @Test("The model the attacks begin with is the one our writer makes")
  func base() throws {
    #expect(try WBMFileBytes.tiny() == RawModel().file)
    try TestFiles.open(RawModel().file).checkIntegrity()
  }

  @Test("Each file is refused for its own reason", arguments: HostileFile.all)
  func refusal(file: HostileFile) {
    let error = TestFiles.failure { () throws(WeighbridgeError) in
      let opened = try TestFiles.open(file.bytes)
      #expect(file.opens, "\(file.name) was opened")
      try opened.checkIntegrity()
    }
    #expect(error?.code == file.code)
    #expect(error?.place.file == "test.wbm")
    #expect(error?.reason.contains(file.phrase) == true, "\(error?.description ?? "accepted")")
  }

  @Test("The committed files are those of the tests")
  func committed() throws {
    var files = HostileFile.all.map { ("\($0.name).wbm", $0.bytes) }
    files.append(("README.md", Array(HostileFile.readme.utf8)))
    files.append(("expected.json", Array(HostileFile.expectations.utf8)))
    try TestFiles.expect(files, in: Self.folder)
  }

  @Test("What a reader must accept is read, whole", arguments: AcceptedFile.all)
  func acceptance(file: AcceptedFile) throws {
    let opened = try TestFiles.open(file.model.file)
    try opened.checkIntegrity()
    #expect(opened.header.graph == SampleHeaders.tiny.graph)
  }

  @Test("The committed files that a reader must accept are those of the tests")
  func committedAccepted() throws {
    var files = AcceptedFile.all.map { ("\($0.name).wbm", $0.model.file) }
    files.append(("README.md", Array(AcceptedFile.readme.utf8)))
    try TestFiles.expect(files, in: Self.acceptedFolder)
  }

  @Test("Millions of empty messages are refused before memory is taken for them")
  func emptyMessages() {
    var model = RawModel()
    let empty = Wire.bytes(6, [])
    for _ in 0..<1_100_000 { model.rest += empty }
    let file = model.file
    let error = TestFiles.failure { () throws(WeighbridgeError) in _ = try TestFiles.open(file) }
    #expect(error?.code == .limitExceeded)
    #expect(error?.reason.contains("messages") == true)
  }

  @Test("Many fields, many numbers, deep messages and a long header have limits")
  func limits() {
    func code(_ change: (inout WBMFile.Limits) -> Void) -> WeighbridgeError.Code? {
      var limits = WBMFile.Limits()
      change(&limits)
      let failure = TestFiles.failure { () throws(WeighbridgeError) in
        _ = try TestFiles.open(RawModel().file, limits: limits)
      }
      return failure?.code
    }
    #expect(code { _ in } == nil)
    #expect(code { $0.headerByteCount = 100 } == .limitExceeded)
    #expect(code { $0.messages.depth = 3 } == .limitExceeded)
    #expect(code { $0.messages.fieldCount = 20 } == .limitExceeded)
    #expect(code { $0.messages.messageCount = 5 } == .limitExceeded)
    #expect(code { $0.messages.packedNumberCount = 2 } == .limitExceeded)
  }

  @Test("Graphs may nest as deep as the documented limit, and no deeper")
  func nesting() throws {
    func header(levels: Int) -> WBMHeader {
      var graph = WBMGraph()
      for level in 1..<levels {
        graph = WBMGraph(
          values: [],
          nodes: [
            WBMNode(
              kind: "k", version: 1, name: "n\(level)", inputs: [], outputs: [], subgraphs: [graph])
          ])
      }
      graph.values = [WBMValue(name: "x", elementType: .bool, dimensions: [])]
      graph.inputs = [WBMPort(name: "x", value: 0)]
      graph.outputs = [WBMPort(name: "y", value: 0)]
      return WBMHeader(graph: graph, provenance: WBMProvenance(writer: "test"))
    }
    _ = try TestFiles.open(TestFiles.bytes(of: header(levels: 24)))
    let folder = try TemporaryFolder()
    let path = folder.file("a")
    let error = TestFiles.failure { () throws(WeighbridgeError) in
      try TestFiles.write(header(levels: 25), to: path)
    }
    #expect(error?.code == .limitExceeded)
    let names = FolderListing.names(in: folder.path)
    #expect(names == [])
  }
}

/// Files written by our writer.
enum WBMFileBytes {
  /// The tiny sample with the elements of ``RawModel``.
  static func tiny() throws -> [UInt8] {
    let folder = try TemporaryFolder()
    var writer = try WBMWriter(path: folder.file("a"), header: SampleHeaders.tiny)
    let elements = RawModel.elements
    try writer.append(elements.span.bytes)
    try writer.commit(replacing: true)
    return try TestFiles.read(folder.file("a"))
  }
}
