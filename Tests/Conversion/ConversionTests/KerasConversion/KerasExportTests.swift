import Bytes
import ConversionCore
import FormatRegistry
import Foundation
import GraphIR
import KerasConversion
import LayerCatalog
import TestSupport
import Testing
import WBMConversion
import Weighbridge
import _CatalogTesting

/// Models written for Keras, read back and run. That Keras itself loads the files and computes the
/// same is what `make test-peers` shows.
@Suite struct KerasExportTests {
  private let detector = Paths.sample("Models/shape-detector/shape-detector.h5")
  private static let targets: [ExportFormat] = [.keras, .kerasHDF5]

  @Test("Every operator has one row in the table or a decomposition")
  func table() { expectCompleteTable(KerasOperators.kinds) }

  @Test("A detector is written, read back and gives the recorded outputs", arguments: targets)
  func detector(_ target: ExportFormat) throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: detector)
    try model.describe(ModelCase.shapeDetector)
    let path = folder.file("m.\(target.fileExtension)")
    let report = try model.export(to: path)
    #expect(report.files == [path])
    #expect(report.notes.isEmpty)
    #expect(folder.names == ["m.\(target.fileExtension)"])
    let back = try Model(contentsOf: path)
    #expect(back.metadata.labels == model.metadata.labels)
    #expect(back.metadata.detector == model.metadata.detector)
    #expect(back.metadata.inputs == model.metadata.inputs)
    #expect(back.metadata.userDefined == model.metadata.userDefined)
    #expect(back.provenance.frameworkVersion == (target == .keras ? "3.15.0" : "2.15.0"))
    let folderOfSample = Paths.sample("Models/shape-detector")
    let outputs = try back.run(ArrayFile.read("\(folderOfSample)/input.npy")).outputs
    let wanted = try ArrayFile.read("\(folderOfSample)/outputs.npz")
    for distance in distances(actual: outputs, expected: wanted) { #expect(distance.error < 1e-5) }
  }

  @Test(
    "Only what outputs need is written, and no layer is called with nothing but constants",
    arguments: ["nested_calls", "causal_scores"])
  func neededCalls(_ name: String) throws {
    let folder = try TemporaryFolder()
    let sample = Paths.sample("Operations/keras3/\(name)")
    let inputs = try ArrayFile.read("\(sample).inputs.npz")
    let wanted = try ArrayFile.read("\(sample).outputs.npz")
    for target in Self.targets {
      let path = folder.file("m.\(target.fileExtension)")
      try Model(contentsOf: "\(sample).h5").export(to: path)
      let back = try Model(contentsOf: path)
      let graph = back.content.graph
      for node in graph.nodes {
        #expect(node.inputs.contains { graph[$0].constant == nil }, "\(node.name)")
      }
      let outputs = try back.run(inputs).outputs
      for distance in distances(actual: outputs, expected: wanted) {
        #expect(distance.error < 1e-5)
      }
    }
  }

  @Test("Two layers in opposite directions are written as one Bidirectional", arguments: targets)
  func directions(_ target: ExportFormat) throws {
    let folder = try TemporaryFolder()
    let sample = Paths.sample("Keras/1.2.2-theano/bidirectional_gru_sum")
    let path = folder.file("m.\(target.fileExtension)")
    try Model(contentsOf: "\(sample).h5").export(to: path)
    let back = try Model(contentsOf: path)
    let nodes = back.content.graph.nodes
    #expect(nodes.count { $0.operation is GRU } == 2)
    #expect(Set(nodes.map(\.source.layer)).count == 1)
    let outputs = try back.run(ArrayFile.read("\(sample).inputs.npz")).outputs
    let wanted = try ArrayFile.read("\(sample).outputs.npz")
    #expect(outputs.count == 1 && wanted.count == 1)
    for distance in distances(actual: outputs, expected: wanted) { #expect(distance.error < 1e-5) }
  }

  @Test("A call of a shared layer that no output depends on is left out", arguments: targets)
  func unneededCall(_ target: ExportFormat) throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [2, 3, 4]))
    let kernel = try builder.addWeight(
      "value/kernel", .random(.float32, shape: [2, 5, 4], in: -1...1, seed: 1))
    let labels = ["abc", "dec", "abde", ""].compactMap(AxisLabels.init(rawValue:))
    let product = try EinsumDense(
      input: labels[0], kernel: labels[1], output: labels[2], bias: labels[3])
    var outputs: [ValueID] = []
    for function in [UnaryMath.Function.sine, .cosine] {
      let source = SourceScope(layer: function.rawValue, className: "Layer")
      let changed = try builder.addNode(UnaryMath(function), inputs: [input], source: source)[0]
      let value = try builder.addNode(product, inputs: [changed, kernel], source: source)[0]
      let query = try builder.addNode(product, inputs: [input, kernel], source: source)[0]
      outputs += try builder.addNode(
        DotProductAttention(axes: [1], scale: 0.5, masking: .all, returnsAttentionWeights: true),
        inputs: [query, query, value],
        source: source)
    }
    // Of the first attention only the weights are needed, which do not depend on its values.
    let ports = [outputs[1], outputs[2]].enumerated().map { Port(name: "y\($0)", value: $1) }
    let content = ModelContent(
      graph: try builder.finish(outputs: ports), description: ModelDescription(),
      provenance: Provenance())
    _ = try content.export(to: folder.file("m"), as: target)
    _ = try WBMExporter.write(content, sources: [], to: folder.file("m.wbm"), replacing: true)
    let numbers = (0..<24).map { Double($0) / 16 - 0.7 }
    let given = [NamedTensor(name: "x", tensor: Tensor(.float32, shape: [2, 3, 4], numbers))]
    let wanted = try Model(contentsOf: folder.file("m.wbm")).run(given).outputs
    let back = try Model(contentsOf: folder.file("m")).run(given).outputs
    for (output, wanted) in zip(back, wanted) {
      #expect(Distance(actual: output.tensor, expected: wanted.tensor).error < 1e-5)
    }
  }

  @Test("The same model gives the same bytes, whichever file it was read from", arguments: targets)
  func determinism(_ target: ExportFormat) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try model.write(to: folder.file("m.wbm"))
    try model.export(to: folder.file("a"), as: target)
    try Model(contentsOf: folder.file("m.wbm")).export(to: folder.file("b"), as: target)
    let bytes = try Files.read(folder.file("a"))
    #expect(try bytes == Files.read(folder.file("b")))
    #expect(bytes.firstRange(of: folder.path.utf8) == nil, "the folder's name is in the file")
  }

  @Test(
    "A layer that the format cannot express is named, and nothing is written", arguments: targets)
  func refused(_ target: ExportFormat) throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.int64, [1, 2]))
    let hash = try builder.addNode(
      Hashing(buckets: 3, masked: []), named: "hash", inputs: [input],
      source: SourceScope(layer: "hashing", className: "Hashing"))
    let graph = try builder.finish(outputs: [Port(name: "y", value: hash[0])])
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    let error = failure {
      _ = try content.export(
        to: folder.file("m"), as: target, options: ExportOptions())
    }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("hashing (Hashing): ") == true)
    #expect(folder.names.isEmpty)
  }

  @Test(
    "Steps that a mask leaves out before all others have the initial state in every target",
    arguments: ["lstm", "gru_backwards", "simple_last"],
    [ExportFormat.keras, .kerasHDF5, .onnx])
  func stateBeforeSteps(_ name: String, _ target: ExportFormat) throws {
    let folder = try TemporaryFolder()
    let sample = Paths.sample("Keras/2.0.8-tensorflow/translator_\(name)")
    let path = folder.file("m.\(target.fileExtension)")
    try Model(contentsOf: "\(sample).h5").export(to: path)
    let outputs = try Model(contentsOf: path).run(ArrayFile.read("\(sample).inputs.npz")).outputs
    let wanted = try ArrayFile.read("\(sample).outputs.npz")
    #expect(outputs.count == wanted.count)
    for distance in distances(actual: outputs, expected: wanted) { #expect(distance.error < 1e-5) }
  }

  @Test("Layers of weights that are computed while they are written stay apart", arguments: targets)
  func computedWeights(_ target: ExportFormat) throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [.symbolic("batch"), 2]))
    var ids: [ValueID] = []
    for (name, numbers) in [("a", [1.0, 2]), ("b", [3, -4])] {
      let scope = SourceScope(layer: name, className: "QuantizedDense")
      let kernel = try builder.addWeight(name, Tensor(.int8, shape: [1, 2], numbers))
      let cast = try builder.addNode(
        Cast(to: .float32), named: "\(name)_cast", inputs: [kernel], source: scope)
      ids += try builder.addNode(
        Dense(hasBias: false), named: "\(name)_dense", inputs: [input, cast[0]], source: scope)
    }
    let content = ModelContent(
      graph: try builder.finish(
        outputs: ids.enumerated().map { Port(name: "y\($0)", value: $1) }),
      description: ModelDescription(), provenance: Provenance())
    let path = folder.file("m.\(target.fileExtension)")
    _ = try content.export(to: path, as: target, options: ExportOptions())
    let ones = NamedTensor(name: "x", tensor: Tensor(.float32, shape: [1, 2], [1, 1]))
    #expect(try Model(contentsOf: path).run([ones]).outputs.map(\.tensor.doubles) == [[3], [-1]])
  }

  @Test("Sums and products up to each element are written, backwards too", arguments: targets)
  func cumulative(_ target: ExportFormat) throws {
    let folder = try TemporaryFolder()
    let example = OperatorExample(
      CumProd(axis: 1, isExclusive: false, isReversed: true), shapes: [[2, 3, 4]])
    let path = folder.file("m.\(target.fileExtension)")
    let content = try example.content()
    _ = try content.export(to: path, as: target, options: ExportOptions())
    let wanted = try example.operation.evaluate(example.inputs, workers: Workers(count: 1))[0]
    let input = NamedTensor(name: "input", tensor: example.inputs[0])
    let output = try Model(contentsOf: path).run([input]).outputs[0].tensor
    #expect(output.shape == wanted.shape)
    #expect(zip(output.doubles, wanted.doubles).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  @Test(
    "A constant that Keras 3 would take for a bias of another axis is written as the first summand",
    arguments: [
      ([1, 4, 1, 1], true), ([1, 1, 1, 4], false), ([1, 3, 1, 1], false),
    ])
  func summands(_ shape: [Int], isTransposed: Bool) throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let input = try builder.addInput(
      "x", TensorType(.float32, [2, shape.contains(3) ? 3 : 4, 6, 4]))
    let weight = try builder.addWeight("b", .random(.float32, shape: shape, in: -1...1, seed: 1))
    let sum = try builder.addNode(
      Add(), named: "sum", inputs: [input, weight],
      source: SourceScope(layer: "sum", className: "Add"))
    let content = ModelContent(
      graph: try builder.finish(outputs: [Port(name: "y", value: sum[0])]),
      description: ModelDescription(), provenance: Provenance())
    _ = try content.export(
      to: folder.file("m.keras"), as: .keras, options: ExportOptions())
    let read = try ModelReader.read(folder.file("m.keras")).content.graph
    let node = try #require(read.nodes.first { $0.operation is Add })
    #expect((read[node.inputs[0]].constant != nil) == isTransposed)
  }

  @Test(
    "A constant before a tensor is one in .h5 too, where TensorFlow would give both another type",
    arguments: [(ElementType.float64, false), (.float32, true), (.uint8, false), (.int32, true)])
  func typedConstants(_ type: ElementType, isConstant: Bool) throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(type, [.symbolic("batch"), 2]))
    let weight = try builder.addWeight("c", Tensor(type, shape: [1, 2], [9, 7]))
    let difference = try builder.addNode(
      Subtract(), named: "difference", inputs: [weight, input],
      source: SourceScope(layer: "difference", className: "Subtract"))
    let content = ModelContent(
      graph: try builder.finish(outputs: [Port(name: "y", value: difference[0])]),
      description: ModelDescription(), provenance: Provenance())
    _ = try content.export(
      to: folder.file("m.h5"), as: .kerasHDF5, options: ExportOptions())
    let model = try Model(contentsOf: folder.file("m.h5"))
    let graph = model.content.graph
    let node = try #require(graph.nodes.first { $0.operation is Subtract })
    #expect((graph[node.inputs[0]].constant != nil) == isConstant)
    let x = NamedTensor(name: "x", tensor: Tensor(type, shape: [1, 2], [4, 5]))
    let output = try model.run([x]).outputs[0].tensor
    #expect(output.elementType == type)
    #expect(output.doubles == [5, 2])
  }

  @Test("An existing file is kept if it must not be replaced or if the export is cancelled")
  func kept() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try Files.write("kept".utf8, to: folder.file("m.keras"))
    var writing = WriteOptions()
    writing.noClobber = true
    let error = failure { _ = try model.export(to: folder.file("m.keras"), writing: writing) }
    #expect(error?.code == .outputFailed)
    let cancellation = Cancellation()
    cancellation.cancel()
    var cancelled = WriteOptions()
    cancelled.cancellation = cancellation
    for name in ["m.keras", "n.h5"] {
      let stopped = failure {
        _ = try model.export(to: folder.file(name), writing: cancelled)
      }
      #expect(stopped?.code == .cancelled)
    }
    let nowhere = failure { _ = try model.export(to: folder.file("no/m.keras")) }
    #expect(nowhere?.code == .outputFailed)
    #expect(folder.names == ["m.keras"])
    #expect(try Files.read(folder.file("m.keras")) == Data("kept".utf8))
  }
}
