import Bytes
import GraphIR
import TestSupport
import Testing
import Verifier
import WBMFormat
import Weighbridge

@Suite struct ShapesCheckTests {
  @Test("The shapes of a model that was just imported agree")
  func agree() throws {
    let content = try ShapeDetector.content()
    let results = try ShapesCheck().run(VerificationSubject(content: content))
    #expect(results.map(\.status) == [.passed])
    #expect(results[0].reason.hasPrefix("23 nodes and 32 weights"))
  }

  @Test("A shape that the file states wrongly is named with its layer")
  func stated() throws {
    let content = try ShapeDetector.content()
    var types = content.graph.values.map(\.type)
    let node = try #require(content.graph.nodes.first { $0.source.layer == "conv2d_3" })
    types[node.outputs[0].index].shape[3] = 21
    let results = try ShapesCheck().run(
      VerificationSubject(content: content, storedTypes: types))
    #expect(results.map(\.status) == [.failed])
    #expect(results[0].layer == "#8 conv2d_3 (Conv2D)")
    #expect(
      results[0].reason.contains(
        "float32 [batch, 22, 22, 21] for conv2d_3, and it is float32 [batch, 22, 22, 20]"))
  }

  /// Writes the detector with another header and matching digests.
  private func write(
    _ path: String, _ change: (inout WBMHeader) throws -> Void
  ) throws {
    let folder = try TemporaryFolder()
    try ShapeDetector.model().write(to: folder.file("whole.wbm"))
    let file = try WBMFile(path: folder.file("whole.wbm"))
    var header = file.header
    try change(&header)
    var writer = try WBMWriter(path: path, header: header)
    for index in header.tensors.indices {
      try writer.append(file.range(ofTensor: index), of: file.store)
    }
    try writer.commit(replacing: true)
  }

  @Test("A file whose stated shapes are wrong fails the verification of the whole model")
  func wholeFile() throws {
    let folder = try TemporaryFolder()
    try write(folder.file("x.wbm")) { header in
      let index = try #require(header.graph.values.firstIndex { $0.name == "conv2d_3" })
      header.graph.values[index].dimensions[3] = .fixed(21)
    }
    let report = try Model(contentsOf: folder.file("x.wbm")).verify()
    #expect(!report.passed)
    #expect(report.results.filter { $0.status == .failed }.map(\.name) == ["shapes"])
  }

  @Test("A weight that does not fit its layer is refused when the file is read")
  func weight() throws {
    let folder = try TemporaryFolder()
    try write(folder.file("x.wbm")) { header in
      let index = try #require(header.tensors.firstIndex { $0.name == "conv2d_3/kernel" })
      let shape = [10, 20, 3, 3]
      header.tensors[index].shape = shape
      let value = try #require(header.graph.values.firstIndex { $0.name == "conv2d_3/kernel" })
      header.graph.values[value].dimensions = shape.map { .fixed($0) }
    }
    let error = failure { _ = try Model(contentsOf: folder.file("x.wbm")) }
    #expect(error?.code == .malformed)
    #expect(error?.place.layer?.contains("conv2d_3") == true)
    #expect(error?.place.file == folder.file("x.wbm"))
  }
}
