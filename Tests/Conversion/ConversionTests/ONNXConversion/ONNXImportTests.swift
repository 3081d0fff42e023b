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

/// ONNX files of other tools, and our own read back.
@Suite struct ONNXImportTests {
  /// The networks of `Samples/ONNX`, for which onnxruntime computed the outputs.
  private static let foreign = Files.names(in: Paths.sample("ONNX"))
    .filter { $0.hasSuffix(".onnx") }.map { String($0.dropLast(5)) }

  @Test("There are networks of other tools")
  func count() { #expect(Self.foreign.count >= 18) }

  @Test("A network of another tool computes what onnxruntime computed", arguments: foreign)
  func foreignNetwork(_ name: String) throws {
    let model = try Model(contentsOf: Paths.sample("ONNX/\(name).onnx"))
    let inputs = try ArrayFile.read(Paths.sample("ONNX/\(name).inputs.npz"))
    let expected = try ArrayFile.read(Paths.sample("ONNX/\(name).outputs.npz"))
    let outputs = try model.run(inputs).outputs
    #expect(outputs.map(\.name) == expected.map(\.name))
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.error < 1e-5, "\(distance)")
    }
  }

  @Test("What onnxruntime computed, .wbm computes too", arguments: foreign)
  func converted(_ name: String) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Paths.sample("ONNX/\(name).onnx"))
    try model.write(to: folder.file("m.wbm"))
    let stored = try Model(contentsOf: folder.file("m.wbm"))
    #expect(try stored.verify().passed)
    let inputs = try ArrayFile.read(Paths.sample("ONNX/\(name).inputs.npz"))
    let first = try model.run(inputs).outputs
    let second = try stored.run(inputs).outputs
    let bits = [first, second].map { $0.map { $0.tensor.doubles.map(\.bitPattern) } }
    #expect(bits[0] == bits[1])
  }

  /// An input of a sample, what it is instead, and a part of the error.
  struct BadInput: Sendable, CustomTestStringConvertible {
    let sample: String
    let input: String
    let values: [Double]
    let reason: String
    var testDescription: String { "\(sample): \(input) = \(values)" }
  }

  @Test(
    "A computed size that cannot be is an error when the model runs, in both engines",
    arguments: [
      BadInput(
        sample: "computed", input: "counts", values: [-1, 1, 3], reason: "sizes are 0 or more"),
      BadInput(sample: "computed", input: "counts", values: [0x1p62, 1, 3], reason: ""),
      BadInput(
        sample: "computed", input: "pads", values: [-9, -1, 1, 3], reason: "sizes are 0 or more"),
      BadInput(
        sample: "computed", input: "pads", values: [0x1p62, 0x1p62, 0x1p62, 0x1p62], reason: ""),
      BadInput(sample: "parts", input: "sizes", values: [7, -1, 0], reason: ""),
      BadInput(sample: "parts", input: "sizes", values: [3, 3, 3], reason: ""),
      BadInput(sample: "parts", input: "depth", values: [-1], reason: "sizes are 0 or more"),
      BadInput(sample: "parts", input: "depth", values: [0x1p42], reason: "memory"),
      BadInput(
        sample: "parts", input: "factors", values: [.nan, 1], reason: "sizes are 0 or more"),
      BadInput(sample: "parts", input: "factors", values: [.infinity, 1], reason: ""),
    ], [Engine.cpu, .reference])
  func badSize(_ bad: BadInput, engine: Engine) throws {
    let model = try Model(contentsOf: Paths.sample("ONNX/\(bad.sample).onnx"))
    var inputs = try ArrayFile.read(Paths.sample("ONNX/\(bad.sample).inputs.npz"))
    let position = try #require(inputs.firstIndex { $0.name == bad.input })
    let tensor = inputs[position].tensor
    inputs[position].tensor = Tensor(tensor.elementType, shape: tensor.shape, bad.values)
    var options = RunOptions()
    options.engine = engine
    let error = try #require(failure { _ = try model.run(inputs, options: options) })
    #expect(error.reason.contains(bad.reason), "\(error)")
    #expect([.mismatch, .malformed, .limitExceeded].contains(error.code), "\(error)")
  }

  @Test("A view by strides of all elements is a transpose and a reshape")
  func strides() throws {
    let graph = try Model(contentsOf: Paths.sample("ONNX/strides.onnx")).content.graph
    let nodes = try graph.outputs.map { port in
      try #require(graph.nodes.first { $0.outputs.contains(port.value) })
    }
    #expect(nodes.map(\.operation.kind) == ["reshape_axes", "reshape_axes", "gather", "gather"])
  }

  @Test("A state of zeros for each example is the state that there is without one")
  func zeros() throws {
    let graph = try Model(contentsOf: Paths.sample("ONNX/tokens.onnx")).content.graph
    let recurrent = graph.nodes.compactMap { $0.operation as? any RecurrentOperator }
    #expect(recurrent.map(\.recurrence.hasInitialStates) == [false])
  }

  @Test("What chooses among rounded integers chooses among numbers, as in a network of QDQ form")
  func chosen() throws {
    let graph = try Model(contentsOf: Paths.sample("ONNX/steps.onnx")).content.graph
    for kind in ["max_pooling", "upsampling"] {
      let node = try #require(graph.nodes.first { $0.operation.kind == kind })
      let source = try #require(graph.nodes.first { $0.outputs.contains(node.inputs[0]) })
      #expect(source.operation.kind == "multiply")
    }
  }

  @Test("A network's layers have the names and operators of the file")
  func layers() throws {
    let model = try Model(contentsOf: Paths.sample("ONNX/resnet.onnx"))
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
  func detector(layout: ExportLayout, hasExternalWeights: Bool) throws {
    let folder = try TemporaryFolder()
    var model = try ModelCase.detector()
    try model.describe(ModelCase.shapeDetector)
    var options = ExportOptions()
    options.layout = layout
    options.externalData = hasExternalWeights
    try model.export(to: folder.file("m.onnx"), options: options)
    let read = try Model(contentsOf: folder.file("m.onnx"))
    #expect(try read.differences(from: model).items.filter(\.counts).isEmpty)
    #expect(read.metadata.labels == model.metadata.labels)
    #expect(read.metadata.author == model.metadata.author)
    #expect(read.metadata.license == model.metadata.license)
    #expect(read.metadata.summary == model.metadata.summary)
    #expect(read.metadata.outputs.map(\.summary) == model.metadata.outputs.map(\.summary))
    #expect(read.provenance.framework == "keras")
    #expect(read.metadata.inputs[0].image?.layout.rawValue.isEmpty == false)
    let image = try Image(contentsOf: Paths.sample("Models/shape-detector/picture.png"))
    let actual = try Detector(read).detect(in: image)
    let expected = try Detector(model).detect(in: image)
    #expect(!expected.isEmpty && actual.map(\.label) == expected.map(\.label))
    #expect(zip(actual, expected).allSatisfy { abs($0.confidence - $1.confidence) < 1e-5 })
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
    let read = try Model(contentsOf: folder.file("m.onnx")).metadata
    #expect(read.userDefined == model.metadata.userDefined)
    #expect(read.version == "1.2" && read.labels == model.metadata.labels)
  }

  /// Writes an operator as a network, and returns the graph and its inputs.
  private static func write(
    _ example: OperatorExample, openCount: Int = 0, to path: String
  ) throws -> (Graph, [Tensor]) {
    let content = try example.content(openCount: openCount)
    _ = try content.export(to: path, as: .onnx, options: ExportOptions())
    return (content.graph, example.dataPositions.map { example.inputs[$0] })
  }

  @Test(
    "Nearest-neighbor resizing picks TensorFlow's elements even where ONNX's rule differs",
    arguments: [(2, 41), (14, 39), (4, 122), (7, 8), (5, 10)])
  func nearest(_ inputSize: Int, _ outputSize: Int) throws {
    let folder = try TemporaryFolder()
    let resizing = Resizing(
      dimensions: [outputSize], interpolation: .nearest, antialiases: false, fit: .stretch,
      layout: .channelsFirst)
    let input = Tensor(.float32, shape: [1, 1, inputSize], (0..<inputSize).map(Double.init))
    let example = OperatorExample(resizing, inputs: [input])
    let (graph, inputs) = try Self.write(example, to: folder.file("m.onnx"))
    let read = try ModelReader.read(folder.file("m.onnx")).content.graph
    let runtime = ReferenceRuntime(workers: Workers(count: 1))
    let results = try [graph, read].map { try runtime.run($0, inputs: inputs) { _ in }[0].doubles }
    #expect(results[0].count == outputSize && results[0] == results[1])
  }

  private static let masked = OperatorExample.all.first { example in
    (example.operation as? LSTM)?.recurrence.mask == .previous
  }

  @Test(
    "A loop becomes the recurrent layer it names if its body matches; if not, it stays a loop or is unrolled"
  )
  func loops() throws {
    let folder = try TemporaryFolder()
    let example = try #require(Self.masked)
    let runtime = ReferenceRuntime(workers: Workers(count: 1))
    for isOpen in [false, true] {
      let (graph, inputs) = try Self.write(
        example, openCount: isOpen ? 2 : 0, to: folder.file("m.onnx"))
      let read = try ModelReader.read(folder.file("m.onnx")).content.graph
      #expect(read.nodes.contains { $0.operation.kind == LSTM.kind })
      let bytes = [UInt8](try Files.read(folder.file("m.onnx")))
      // Without a valid record, and with one of another activation than the body has.
      for (original, replacement) in [("\"operator\"", "\"operatox\""), ("0.7", "0.9")] {
        let changed = bytes.replacing(Array(original.utf8), with: Array(replacement.utf8))
        #expect(changed != bytes)
        try Files.write(changed, to: folder.file("changed.onnx"))
        let unrolled = try ModelReader.read(folder.file("changed.onnx")).content.graph
        #expect(!unrolled.nodes.contains { $0.operation.kind == LSTM.kind })
        #expect(unrolled.nodes.contains { $0.operation is Loop } == isOpen)
        let expected = try runtime.run(graph, inputs: inputs) { _ in }
        let actual = try runtime.run(unrolled, inputs: inputs) { _ in }
        #expect(actual.map(\.type) == expected.map(\.type))
        for (actual, expected) in zip(actual, expected) {
          #expect(zip(actual.doubles, expected.doubles).allSatisfy { abs($0 - $1) < 1e-5 })
        }
      }
    }
  }
}
