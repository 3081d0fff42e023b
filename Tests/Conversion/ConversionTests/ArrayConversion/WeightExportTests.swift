import ArrayConversion
import Bytes
import ConversionCore
import FormatRegistry
import GraphIR
import TestSupport
import Testing
import Weighbridge

/// Weights written as safetensors and `.npz`, and read back with an architecture. That the real
/// libraries read the files is what `make test-peers` shows.
@Suite struct WeightExportTests {
  private let detector = Paths.sample("Models/shape-detector/shape-detector.h5")

  private func read(_ path: String, _ architecture: String) throws -> Model {
    var options = ReadOptions()
    options.architecture = architecture
    return try Model(contentsOf: path, options: options)
  }

  @Test("A model and its weights in another file are the same", arguments: ["safetensors", "npz"])
  func roundTrip(_ kind: String) throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: detector)
    try model.describe(ModelCase.shapeDetector)
    let report = try model.export(to: folder.file("m.\(kind)"))
    #expect(report.files == [folder.file("m.\(kind)")])
    #expect(report.notes.contains { $0.contains("the weights only") })
    try model.write(to: folder.file("m.wbm"))
    for architecture in [detector, folder.file("m.wbm")] {
      let copy = try read(folder.file("m.\(kind)"), architecture)
      #expect(try copy.differences(from: model).items.filter { $0.kind == .weight }.isEmpty)
      if kind == "safetensors" { #expect(copy.metadata == model.metadata) }
    }
    #expect(report.notes.contains("the description is not in the file") == (kind == "npz"))
  }

  @Test("The same model gives the same bytes, whichever file it was read from")
  func determinism() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try model.write(to: folder.file("m.wbm"))
    for kind in ["safetensors", "npz"] {
      try model.export(to: folder.file("a.\(kind)"))
      try Model(contentsOf: folder.file("m.wbm")).export(to: folder.file("b.\(kind)"))
      let bytes = try Files.read(folder.file("a.\(kind)"))
      #expect(try bytes == Files.read(folder.file("b.\(kind)")))
    }
  }

  @Test(
    "A to_json text is enough of an architecture",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
  func text() throws {
    let folder = try TemporaryFolder()
    let unet = try #require(FixtureModel.all.first { $0.file.hasPrefix("small_unet") })
    let model = try Model(contentsOf: unet.path, options: unet.options)
    try model.export(to: folder.file("m.safetensors"))
    let architecture = try #require(unet.options.architecture)
    let copy = try read(folder.file("m.safetensors"), architecture)
    let outputs = try copy.run(ArrayFile.read(unet.inputs)).outputs
    let expected = try ArrayFile.read(unet.outputs)
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.error < 1e-5)
    }
  }

  @Test("A darknet .cfg is enough too, without its weights")
  func darknet() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try model.export(to: folder.file("m.cfg"))
    let network = try Model(contentsOf: folder.file("m.cfg"))
    try network.export(to: folder.file("m.safetensors"))
    try Files.write(Files.read(folder.file("m.cfg")), to: folder.file("bare.cfg"))
    let copy = try read(folder.file("m.safetensors"), folder.file("bare.cfg"))
    #expect(try copy.differences(from: network).items.filter { $0.kind == .weight }.isEmpty)
    #expect(!copy.provenance.decisions.contains { $0.text.contains("random") })
  }

  @Test("Number types stay; a float of fewer bits becomes the architecture's, others are refused")
  func types() throws {
    let folder = try TemporaryFolder()
    let content = try content(.float32)
    for type in [ElementType.bfloat16, .float16, .int8] {
      _ = try self.content(type).export(
        to: folder.file("\(type).safetensors"), as: .safetensors, options: ExportOptions())
      let file = try #require(try ModelReader.weightFile(folder.file("\(type).safetensors")))
      #expect(file.weights.map(\.tensor.elementType) == [type])
      let replaced = Result { () throws(WeighbridgeError) in
        try content.graph.replacingWeights(file.weights)
      }
      switch replaced {
      case .success(let graph):
        #expect(type.isFloat)
        #expect(graph.weights.map(\.tensor.doubles) == [[1, -2]])
      case .failure(let error):
        #expect(type == .int8)
        #expect(error.code == .mismatch)
      }
    }
  }

  /// A graph with one weight of a type.
  private func content(_ type: ElementType) throws -> ModelContent {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 2]))
    let weight = try builder.addWeight("w", Tensor(type, shape: [2], [1, -2]))
    let outputs = try builder.addNode(
      Opaque(
        className: "Any", settings: "{}", inputCount: 1, weightNames: ["w"],
        outputs: [.init(elementType: .float32, dimensions: [1, 2])]),
      named: "any", inputs: [input, weight], source: SourceScope(layer: "any", className: "Any"))
    let graph = try builder.finish(outputs: [Port(name: "y", value: outputs[0])])
    return ModelContent(graph: graph, description: ModelDescription(), provenance: Provenance())
  }
}
