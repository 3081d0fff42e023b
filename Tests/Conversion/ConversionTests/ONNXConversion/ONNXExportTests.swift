import Bytes
import ConversionCore
import Foundation
import GraphIR
import LayerCatalog
import ONNXConversion
import TestSupport
import Testing
import Weighbridge
import _CatalogTesting

/// Models written as ONNX. `make test-peers` shows that runtimes read them and compute the same.
@Suite struct ONNXExportTests {
  private let detector = Paths.sample("Models/shape-detector/shape-detector.h5")

  @Test("Every operator has one row in the table or a decomposition")
  func table() { expectCompleteTable(ONNXOperators.kinds) }

  @Test("The same model and options give the same bytes, whichever file the model was read from")
  func determinism() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try model.export(to: folder.file("a.onnx"))
    try model.write(to: folder.file("m.wbm"))
    try Model(contentsOf: folder.file("m.wbm")).export(to: folder.file("b.onnx"))
    let bytes = try Files.read(folder.file("a.onnx"))
    #expect(try bytes == Files.read(folder.file("b.onnx")))
    #expect(bytes.firstRange(of: folder.path.utf8) == nil, "the folder's name is in the file")
  }

  @Test("The description is in the metadata")
  func metadata() throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: detector)
    var edit = ModelCase.shapeDetector
    edit.version = "1.2"
    try model.describe(edit)
    try model.export(to: folder.file("m.onnx"))
    let bytes = try Files.read(folder.file("m.onnx"))
    let strings = [
      "model_author", "model_license", "model_version", "labels", #"["ellipse","#, "detector",
      #""anchors":[2.85,"#, "image.image", #""color":"rgb""#, "keras 2.1.5", "weighbridge",
    ]
    for string in strings {
      #expect(bytes.firstRange(of: string.utf8) != nil, "\(string) is missing")
    }
  }

  @Test("Options choose the version, the axes and where the weights go")
  func options() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    var options = ExportOptions()
    options.layout = .nchw
    options.externalData = true
    let report = try model.export(to: folder.file("m.onnx"), options: options)
    #expect(report.files == [folder.file("m.onnx"), folder.file("m.onnx.data")])
    #expect(folder.names == ["m.onnx", "m.onnx.data"])
    #expect(try Files.size(folder.file("m.onnx")) < 20_000)
    let transposes = try Files.read(folder.file("m.onnx")).firstRange(of: "Transpose".utf8)
    #expect(transposes == nil)
    options.opset = 12
    let error = failure { _ = try model.export(to: folder.file("n.onnx"), options: options) }
    #expect(error?.code == .mismatch)
    #expect(folder.names == ["m.onnx", "m.onnx.data"])
  }

  /// Exports a graph of one layer, and returns the error if there is one.
  ///
  /// - Parameter inputCount: The number of the layer's inputs, all of which are the graph's input.
  private func export(
    _ operation: some Operator, _ className: String, of type: TensorType, inputCount: Int = 1,
    to path: String, options: ExportOptions = ExportOptions()
  ) throws -> WeighbridgeError? {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", type)
    let outputs = try builder.addNode(
      operation, named: "node", inputs: Array(repeating: input, count: inputCount),
      source: SourceScope(layer: className.lowercased(), className: className))
    let graph = try builder.finish(outputs: [Port(name: "y", value: outputs[0])])
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    return failure {
      _ = try content.export(to: path, as: .onnx, options: options)
    }
  }

  @Test("A layer that the format cannot express is named, and nothing is written")
  func refused() throws {
    let folder = try TemporaryFolder()
    let error = try export(
      Hashing(buckets: 3, masked: []), "Hashing", of: TensorType(.int64, [1, 2]),
      to: folder.file("m.onnx"))
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("hashing (Hashing): hashes its input, and ONNX can") == true)
    #expect(folder.names.isEmpty)
  }

  @Test("Windows that lie apart take what TensorFlow's do of an axis whose size is open")
  func windowsApart() throws {
    let folder = try TemporaryFolder()
    let window = Window(size: [1, 2], strides: [1, 3], dilation: [1, 1], padding: .same)
    let type = TensorType(.float32, [.fixed(1), .fixed(1), .fixed(1), .unknown])
    let error = try export(
      MaxPooling(window: window, layout: .channelsFirst), "MaxPooling2D", of: type,
      to: folder.file("m.onnx"))
    #expect(error == nil)
    let copy = try Model(contentsOf: folder.file("m.onnx"))
    // onnxruntime refuses a negative padding, which a window of sizes 3 and 6 would have.
    #expect(copy.content.graph.nodes.contains { $0.operation.kind.contains("slice") })
    let expected: [[Double]] = [[1], [2], [2], [2, 4], [2, 5], [2, 5], [2, 5, 7], [2, 5, 8]]
    for (index, expected) in expected.enumerated() {
      let numbers = (0...index).map { Double($0 + 1) }
      let input = Tensor(.float32, shape: [1, 1, 1, index + 1], numbers)
      let output = try copy.run([NamedTensor(name: "x", tensor: input)]).outputs[0]
      #expect(output.tensor.doubles == expected)
    }
  }

  @Test("8-bit integers are added from opset 14 on, and as wider ones before", arguments: [13, 14])
  func narrowIntegers(opset: Int) throws {
    let folder = try TemporaryFolder()
    var options = ExportOptions()
    options.opset = opset
    let error = try export(
      Add(), "Add", of: TensorType(.uint8, [1, 2]), inputCount: 2, to: folder.file("m.onnx"),
      options: options)
    #expect(error == nil)
    let copy = try Model(contentsOf: folder.file("m.onnx"))
    let kinds = copy.content.graph.nodes.map(\.operation.kind)
    #expect(kinds == (opset < 14 ? ["cast", "cast", "add", "cast"] : ["add"]))
    #expect(copy.outputs[0].type.description == "uint8 [1, 2]")
  }

  @Test("RMSNormalization is a node from opset 23 on, and several before", arguments: [22, 23])
  func newNodes(opset: Int) throws {
    let folder = try TemporaryFolder()
    var options = ExportOptions()
    options.opset = opset
    let operation = RMSNormalization(axes: [0], denominator: .meanSquare, epsilon: 0.5)
    #expect(
      try export(
        operation, "RMSNormalization", of: TensorType(.float32, [4]), inputCount: 2,
        to: folder.file("m.onnx"), options: options) == nil)
    let copy = try Model(contentsOf: folder.file("m.onnx"))
    let kinds = copy.content.graph.nodes.map(\.operation.kind)
    #expect((kinds == ["rms_normalization"]) == (opset == 23), "\(kinds)")
    let numbers = Tensor(.float32, shape: [4], [1, 2, -3, 0])
    let outputs = try copy.run([NamedTensor(name: "x", tensor: numbers)]).outputs
    // x^2 / sqrt(mean(x^2) + 0.5), since x is the scale, too.
    let expected = [0.5, 2, 4.5, 0]
    for (value, number) in zip(outputs[0].tensor.doubles, expected) {
      #expect(abs(value - number) < 1e-6)
    }
  }

  @Test(
    "A recurrent node states its activations only if they are not ONNX's own",
    arguments: [("gru_states", false), ("gru_forms", true)])
  func activations(_ name: String, isStated: Bool) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Paths.sample("Layers/gru/\(name).h5"))
    _ = try model.export(to: folder.file("m.onnx"))
    let bytes = try Files.read(folder.file("m.onnx"))
    #expect(bytes.firstRange(of: "GRU".utf8) != nil)
    #expect((bytes.firstRange(of: "activations".utf8) != nil) == isStated)
  }

  @Test("An existing file is kept if it must not be replaced or if the export is cancelled")
  func kept() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try Files.write("kept".utf8, to: folder.file("m.onnx.data"))
    var options = ONNXOptions()
    options.externalData = true
    var writing = WriteOptions()
    writing.noClobber = true
    let error = failure {
      _ = try model.export(to: folder.file("m.onnx"), as: .onnx(options), writing: writing)
    }
    #expect(error?.code == .outputFailed)
    let cancellation = Cancellation()
    cancellation.cancel()
    var cancelled = WriteOptions()
    cancelled.cancellation = cancellation
    let stopped = failure {
      _ = try model.export(to: folder.file("m.onnx"), writing: cancelled)
    }
    #expect(stopped?.code == .cancelled)
    let missingFolder = failure { _ = try model.export(to: folder.file("no/m.onnx")) }
    #expect(missingFolder?.code == .outputFailed)
    #expect(folder.names == ["m.onnx.data"])
    #expect(try Files.read(folder.file("m.onnx.data")) == Data("kept".utf8))
  }

  @Test("An output with an input's name is renamed, and the report says so")
  func names() throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 2]))
    let graph = try builder.finish(
      outputs: [Port(name: "x", value: input), Port(name: "y", value: input)])
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    let report = try content.export(
      to: folder.file("m.onnx"), as: .onnx, options: ExportOptions())
    #expect(report.notes == ["the output x is called x_2"])
  }
}
