import Bytes
import ConversionCore
import Foundation
import GraphIR
import LayerCatalog
import ReferenceRuntime
import TestSupport
import Testing
import Weighbridge

/// What options change in an ONNX file. `make test-peers` shows that runtimes compute the same.
@Suite struct ONNXOptionTests {
  private let sample = Paths.sample("Models/shape-detector")

  private func detector() throws -> Model {
    var model = try Model(contentsOf: "\(sample)/shape-detector.h5")
    try model.describe(ModelCase.shapeDetector)
    return model
  }

  @Test("A detector's file gives boxes when that is asked for, with thresholds as inputs")
  func boxes() throws {
    let folder = try TemporaryFolder()
    var options = ExportOptions()
    options.withNMS = true
    let report = try detector().export(to: folder.file("m.onnx"), options: options)
    #expect(report.notes.map { $0.contains("which gives boxes") } == [true, true])
    let bytes = try Files.read(folder.file("m.onnx"))
    for string in ["NonMaxSuppression", "iou_threshold", "score_threshold", "boxes", "labels"] {
      #expect(bytes.firstRange(of: string.utf8) != nil, "\(string) is missing")
    }
    #expect(
      bytes.firstRange(of: #""anchors":["#.utf8) == nil, "a record of heads that are not there")
  }

  @Test("A model that does not say how boxes are read cannot give them")
  func noDetector() throws {
    let folder = try TemporaryFolder()
    var options = ExportOptions()
    options.withNMS = true
    let model = try Model(contentsOf: "\(sample)/shape-detector.h5")
    let error = failure { _ = try model.export(to: folder.file("m.onnx"), options: options) }
    #expect(
      error?.code == .mismatch
        && error?.reason.contains("`DescriptionEdit.DetectorEdit.anchors`") == true)
    var agnostic = try detector()
    agnostic.content.description.detector?.suppression = .classAgnostic
    let refused = failure { _ = try agnostic.export(to: folder.file("m.onnx"), options: options) }
    #expect(
      refused?.code == .unsupported
        && refused?.reason.contains("`ExportOptions.withNMS = false`") == true)
    #expect(folder.names.isEmpty)
    var distant = try detector()
    distant.content.description.detector?.suppression = .distance
    let report = try distant.export(to: folder.file("m.onnx"), options: options)
    #expect(report.notes.contains { $0.contains("distance") })
  }

  @Test(
    "A padding that does not depend on the size is explicit, since onnxruntime has no dilated SAME",
    arguments: [1, 2])
  func dilatedPadding(_ stride: Int) throws {
    let window = Window(size: [3, 2], strides: [stride, 1], dilation: [2, 2], padding: .same)
    let borders = window.borders(of: [.unknown, .unknown])
    #expect(borders?.before == (stride == 1 ? [2, 1] : nil))
    #expect(borders?.after == (stride == 1 ? [2, 1] : nil))
  }

  @Test("Weights of float16 take about half the space")
  func halfPrecision() throws {
    let folder = try TemporaryFolder()
    let model = try detector()
    try model.export(to: folder.file("full.onnx"))
    var options = ExportOptions()
    options.precision = .float16
    try model.export(to: folder.file("half.onnx"), options: options)
    let full = try Files.size(folder.file("full.onnx"))
    #expect(try Files.size(folder.file("half.onnx")) < full * 6 / 10)
  }

  @Test("A weight that float16 cannot hold is an error, and nothing is written")
  func tooLarge() throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 16]))
    let numbers = (0..<16).map { $0 == 7 ? 65520.0 : 1 }
    let weight = try builder.addWeight("huge", Tensor(.float32, shape: [1, 16], numbers))
    let sum = try builder.addNode(
      Add(), named: "sum", inputs: [input, weight],
      source: SourceScope(layer: "sum", className: "Add"))
    let content = ModelContent(
      graph: try builder.finish(outputs: [Port(name: "y", value: sum[0])]),
      description: ModelDescription(), provenance: Provenance())
    var options = ExportOptions()
    options.precision = .float16
    let error = failure {
      _ = try content.export(
        to: folder.file("m.onnx"), as: .onnx, options: options)
    }
    #expect(error?.code == .unsupported && error?.reason.contains("huge") == true)
    #expect(folder.names.isEmpty)
  }

  @Test("Folding removes batch normalizations and leaves the outputs unchanged")
  func folding() throws {
    let graph = try detector().content.graph
    let isNormalization = { (node: Node) in node.operation is BatchNormalization }
    #expect(graph.nodes.contains(where: isNormalization))
    let folded = try BatchNormalizationFolding(graph).graph
    #expect(!folded.nodes.contains(where: isNormalization))
    #expect(folded.outputs.map(\.name) == graph.outputs.map(\.name))
    let input = try ArrayFile.read("\(sample)/input.npy")[0].tensor
    let runtime = ReferenceRuntime(workers: Workers(count: 2))
    let outputs = try runtime.run(folded, inputs: [input]) { _ in }
    let expected = try ArrayFile.read("\(sample)/outputs.npz")
    #expect(Distance(actual: outputs[0], expected: expected[0].tensor).error < 1e-4)
  }
}
