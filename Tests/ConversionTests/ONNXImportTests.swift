import Bytes
import ConversionCore
import FormatRegistry
import GraphIR
import LayerCatalog
import ReferenceRuntime
import TestSupport
import Testing
import Weighbridge
import _CatalogTesting

/// ONNX files, of others and our own, read back.
@Suite struct ONNXImportTests {
  /// The networks of `Samples/ONNX`, which onnxruntime ran.
  private static let foreign = Files.names(in: Places.sample("ONNX"))
    .filter { $0.hasSuffix(".onnx") }.map { String($0.dropLast(5)) }

  @Test("A network of another tool computes what onnxruntime computed", arguments: foreign)
  func foreignNetwork(_ name: String) throws {
    let model = try Model(contentsOf: Places.sample("ONNX/\(name).onnx"))
    let inputs = try ArrayFile.read(Places.sample("ONNX/\(name).inputs.npz"))
    let wanted = try ArrayFile.read(Places.sample("ONNX/\(name).outputs.npz"))
    let outputs = try model.run(inputs).outputs
    #expect(outputs.map(\.name) == wanted.map(\.name))
    for distance in distances(got: outputs, want: wanted) {
      #expect(distance.error < 1e-5, "\(distance)")
    }
  }

  @Test("What onnxruntime computed, .wbm computes too", arguments: foreign)
  func converted(_ name: String) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Places.sample("ONNX/\(name).onnx"))
    try model.write(to: folder.file("m.wbm"))
    let stored = try Model(contentsOf: folder.file("m.wbm"))
    #expect(try stored.verify().passed)
    let inputs = try ArrayFile.read(Places.sample("ONNX/\(name).inputs.npz"))
    let first = try model.run(inputs).outputs
    let second = try stored.run(inputs).outputs
    #expect(first.map(\.tensor.doubles) == second.map(\.tensor.doubles))
  }

  @Test("A network's layers have the names and operators of the file")
  func layers() throws {
    let model = try Model(contentsOf: Places.sample("ONNX/resnet.onnx"))
    let nodes = model.content.graph.nodes
    #expect(nodes.first?.source == SourceScope(layer: "Conv_1", className: "Conv"))
    let kinds = nodes.map(\.operation.kind)
    #expect(kinds.filter { $0 == "convolution" }.count == 3)
    #expect(kinds.suffix(3) == ["reshape", "dense", "softmax"])
    #expect(model.inputs.map(\.name) == ["data"])
    #expect(model.provenance.framework == "samples")
  }

  @Test(
    "A detector that was written is the same model again",
    arguments: [ExportLayout.source, .nchw], [false, true])
  func detector(layout: ExportLayout, isBeside: Bool) throws {
    let folder = try TemporaryFolder()
    var model = try ModelCase.detector()
    try model.describe(ModelCase.shapeDetector)
    var options = ExportOptions()
    options.layout = layout
    options.storesWeightsBeside = isBeside
    try model.export(to: folder.file("m.onnx"), options: options)
    let read = try Model(contentsOf: folder.file("m.onnx"))
    #expect(try read.differences(from: model).items.filter(\.counts).isEmpty)
    #expect(read.description.labels == model.description.labels)
    #expect(read.description.author == model.description.author)
    #expect(read.description.license == model.description.license)
    #expect(read.description.summary == model.description.summary)
    #expect(read.description.outputs.map(\.summary) == model.description.outputs.map(\.summary))
    #expect(read.provenance.framework == "keras")
    #expect(read.description.inputs[0].image?.layout.rawValue.isEmpty == false)
    let image = try Image(contentsOf: Places.sample("Models/shape-detector/picture.png"))
    let found = try Detector(read).detect(in: image)
    let wanted = try Detector(model).detect(in: image)
    #expect(found.map(\.label) == wanted.map(\.label))
    #expect(zip(found, wanted).allSatisfy { abs($0.confidence - $1.confidence) < 1e-5 })
  }

  @Test("A description with the keys of the file's own comes back")
  func userKeys() throws {
    let folder = try TemporaryFolder()
    var model = try ModelCase.detector()
    var edit = ModelCase.shapeDetector
    edit.version = "1.2"
    edit.userDefined = ["labels": "mine", "note": "kept"]
    try model.describe(edit)
    try model.export(to: folder.file("m.onnx"))
    let read = try Model(contentsOf: folder.file("m.onnx")).description
    #expect(read.userDefined == model.description.userDefined)
    #expect(read.version == "1.2" && read.labels == model.description.labels)
  }

  /// An operator as a network of its own, and what it takes.
  ///
  /// - Parameter openCount: How many axes of each input are open, but for the last one.
  private static func graph(
    _ example: OperatorExample, openCount: Int
  ) throws -> (Graph, [Tensor])? {
    var builder = GraphBuilder()
    var (ids, inputs): ([ValueID], [Tensor]) = ([], [])
    for (position, tensor) in example.inputs.enumerated() {
      let isData = example.dataPositions.contains(position)
      if isData { inputs.append(tensor) }
      let type = tensor.type.with(
        shape: tensor.shape.enumerated().map { axis, dimension in
          axis < min(openCount, tensor.shape.count - 1) ? .unknown : .fixed(dimension)
        })
      ids.append(
        isData
          ? try builder.addInput("input \(position)", type)
          : try builder.addWeight("weight \(position)", tensor))
    }
    let outputs = try? builder.addNode(
      example.operation, named: "operation", inputs: ids,
      source: SourceScope(layer: "layer", className: "Layer"))
    guard let outputs else { return nil }
    let ports = outputs.enumerated().map { Port(name: "output \($0)", value: $1) }
    return (try builder.finish(outputs: ports), inputs)
  }

  private static func write(_ graph: Graph, to path: String) throws {
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    _ = try content.export(to: path, as: .onnx, options: ExportOptions(), cancellation: nil)
  }

  @Test(
    "What is written reads back and computes the same, of known sizes and of open ones",
    arguments: OperatorExample.all, [0, 2, 9])
  func roundTrip(_ example: OperatorExample, openCount: Int) throws {
    let folder = try TemporaryFolder()
    guard let (graph, inputs) = try Self.graph(example, openCount: openCount) else { return }
    if failure({ try Self.write(graph, to: folder.file("m.onnx")) }) != nil { return }
    let read = try ModelReader.read(folder.file("m.onnx")).content.graph
    let runtime = ReferenceRuntime(workers: Workers(count: 1))
    let wanted = try runtime.run(graph, inputs: inputs) { _ in }
    let found = try runtime.run(read, inputs: inputs) { _ in }
    for (got, want) in zip(found, wanted) {
      let tolerance = 1e-4 * max(1, want.doubles.filter(\.isFinite).map(abs).max() ?? 0)
      #expect(got.type == want.type)
      let isSame = zip(got.doubles, want.doubles).allSatisfy {
        $0 == $1 || $0.isNaN && $1.isNaN || abs($0 - $1) <= tolerance
      }
      #expect(isSame, "\(got.doubles.prefix(8)) and \(want.doubles.prefix(8))")
    }
  }

  @Test(
    "The nearest elements are TensorFlow's, where ONNX' rule rounds to others too",
    arguments: [(2, 41), (14, 39), (4, 122), (7, 8), (5, 10)])
  func nearest(_ old: Int, _ new: Int) throws {
    let folder = try TemporaryFolder()
    let resizing = Resizing(
      dimensions: [new], interpolation: .nearest, antialiases: false, fit: .stretch,
      layout: .channelsFirst)
    let input = Tensor(.float32, shape: [1, 1, old], (0..<old).map(Double.init))
    let example = OperatorExample(resizing, inputs: [input])
    let (graph, inputs) = try #require(try Self.graph(example, openCount: 0))
    try Self.write(graph, to: folder.file("m.onnx"))
    let read = try ModelReader.read(folder.file("m.onnx")).content.graph
    let runtime = ReferenceRuntime(workers: Workers(count: 1))
    let results = try [graph, read].map { try runtime.run($0, inputs: inputs) { _ in }[0].doubles }
    #expect(results[0] == results[1])
  }

  private static let masked = OperatorExample.all.first { example in
    (example.operation as? LSTM)?.recurrence.mask == .previous
  }

  @Test("A loop is the recurrent layer that it says when its body is, and else so many steps")
  func loops() throws {
    let folder = try TemporaryFolder()
    let example = try #require(Self.masked)
    let runtime = ReferenceRuntime(workers: Workers(count: 1))
    for isOpen in [false, true] {
      let (graph, inputs) = try #require(try Self.graph(example, openCount: isOpen ? 2 : 0))
      try Self.write(graph, to: folder.file("m.onnx"))
      let read = try ModelReader.read(folder.file("m.onnx")).content.graph
      #expect(read.nodes.contains { $0.operation.kind == LSTM.kind })
      let bytes = [UInt8](try Files.read(folder.file("m.onnx")))
      // No record, and one of another activation than the body has.
      for (text, other) in [("\"operator\"", "\"operatox\""), ("0.7", "0.9")] {
        let changed = bytes.replacing(Array(text.utf8), with: Array(other.utf8))
        #expect(changed != bytes)
        try Files.write(changed, to: folder.file("changed.onnx"))
        if isOpen {
          let error = failure { _ = try ModelReader.read(folder.file("changed.onnx")) }
          #expect(error?.code == .unsupported && error?.reason.contains("a loop over") == true)
          continue
        }
        let steps = try ModelReader.read(folder.file("changed.onnx")).content.graph
        #expect(!steps.nodes.contains { $0.operation.kind == LSTM.kind })
        let wanted = try runtime.run(graph, inputs: inputs) { _ in }
        let found = try runtime.run(steps, inputs: inputs) { _ in }
        for (got, want) in zip(found, wanted) {
          #expect(zip(got.doubles, want.doubles).allSatisfy { abs($0 - $1) < 1e-5 })
        }
      }
    }
  }
}
