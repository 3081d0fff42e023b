import Bytes
import CPURuntime
import ConversionCore
import FormatRegistry
import Foundation
import GraphIR
import KerasFormat
import LayerCatalog
import NCNNFormat
import ReferenceRuntime
import TestSupport
import Testing
import Verifier
import WBMConversion
import Weighbridge

@testable import KerasConversion

/// x sigmoid(x) plus an offset for each index of the last axis: an operator for tests only.
private struct ShiftedSwish: FormulaOperator {
  let offsets: [Double]

  static let kind = "shifted_swish"
  static let version = 1

  static let declaration = OperatorDeclaration<Self>(
    "y[..., c] = x[..., c] / (1 + exp(-x[..., c])) + offsets[c]", of: .float,
    attributes: AttributeSchema(
      Self.init(offsets:),
      .reals(
        "offsets", \.offsets, "An offset for each index of the last axis.", .minimumCount(1),
        .finite)))

  func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let (x, type) = (make.inputs[0], make.type(make.inputs[0]))
    let swish = try make.product(x, try make(Sigmoid(), x))
    let shape = [Int](repeating: 1, count: type.rank - 1) + [offsets.count]
    let shifts = try make.constant(Tensor(type.elementType, shape: shape, offsets))
    return try make.sum(swish, shifts)
  }

  var tolerance: Tolerance { .standard(for: .float32) }

  var cost: OperatorCost { .decomposition }

  func permutingAxes(_ axes: [Int]) -> ShiftedSwish? { nil }
}

/// An operator that is declared here, as a definition with a decomposition, and a layer of Keras that
/// becomes it: everything else follows.
@Suite struct OneFileOperatorTests {
  private static let offsets = [0.5, -1.25, 2]
  private static let catalog = Catalog(Catalog.all + [ShiftedSwish.self])

  /// The pooled maxima of each 2 by 2 pixels, the operator, and the mean over the pixels.
  private static let architecture = """
    {"class_name": "Functional", "keras_version": "2.15.0", "backend": "tensorflow", "config": {
    "name": "net", "input_layers": [["x", 0, 0]], "output_layers": [["mean", 0, 0]], "layers": [
    {"class_name": "InputLayer", "name": "x", "inbound_nodes": [],
    "config": {"name": "x", "batch_input_shape": [null, 4, 6, 3], "dtype": "float32"}},
    {"class_name": "MaxPooling2D", "name": "pool", "inbound_nodes": [[["x", 0, 0, {}]]],
    "config": {"name": "pool", "pool_size": [2, 2], "strides": [2, 2], "padding": "valid"}},
    {"class_name": "ShiftedSwish", "name": "swish", "inbound_nodes": [[["pool", 0, 0, {}]]],
    "config": {"name": "swish", "offsets": [0.5, -1.25, 2]}},
    {"class_name": "GlobalAveragePooling2D", "name": "mean",
    "inbound_nodes": [[["swish", 0, 0, {}]]], "config": {"name": "mean"}}]}}
    """

  /// `[batch 2, height 4, width 6, channels 3]`.
  private static let input = NamedTensor(
    name: "x",
    tensor: Tensor(
      .float32, shape: [2, 4, 6, 3], (0..<144).map { Double(($0 * 37) % 101) / 25 - 2 }))

  /// What the model computes from ``input``, calculated by hand: `[batch 2, channels 3]`.
  private static var expected: NamedTensor {
    let x = input.tensor.doubles
    var means: [Double] = []
    for image in 0..<2 {
      for channel in 0..<3 {
        var sum = 0.0
        for (row, column) in [(0, 0), (0, 2), (0, 4), (2, 0), (2, 2), (2, 4)] {
          let window = [(0, 0), (0, 1), (1, 0), (1, 1)].map { down, right in
            x[((image * 4 + row + down) * 6 + column + right) * 3 + channel]
          }
          let largest = window.max() ?? .nan
          sum += largest / (1 + exp(-largest)) + offsets[channel]
        }
        means.append(sum / 6)
      }
    }
    return NamedTensor(name: "mean", tensor: Tensor(.float32, shape: [2, 3], means))
  }

  private func content() throws -> ModelContent {
    let folder = try TemporaryFolder()
    try Files.write(Self.architecture.utf8, to: folder.file("net.json"))
    let build: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
      try layer.add(ShiftedSwish(offsets: try layer.realList("offsets")), inputs)
    }
    var policy = CustomLayerPolicy()
    policy.ownLayers.merge(["ShiftedSwish": build]) { _, new in new }
    let result = try KerasImporter.importModel(
      try KerasArchitecture.read(path: folder.file("net.json")).model,
      writer: KerasProducer(version: KerasVersion(2, 15)), weights: [:], custom: policy)
    #expect(result.graph.nodes.map { $0.operation.kind }.contains(ShiftedSwish.kind))
    return ModelContent(
      graph: result.graph, description: ModelDescription(), provenance: Provenance())
  }

  private func expectAgreement(_ outputs: [Tensor], _ what: String) {
    let distance = Distance(actual: outputs[0], expected: Self.expected.tensor)
    #expect(outputs.count == 1 && distance.isWithin(absolute: 1e-6, relative: 1e-6), "\(what)")
  }

  @Test("It runs in both engines")
  func runs() throws {
    let graph = try content().graph
    let engines: [any Runtime] = [
      ReferenceRuntime(workers: Workers(count: 1)),
      CPURuntime(CPURuntime.Options(workers: Workers(count: 2))),
    ]
    for engine in engines {
      expectAgreement(try engine.run(graph, inputs: [Self.input.tensor]) { _ in }, engine.name)
    }
  }

  @Test("It is written as .wbm, reads back with its catalog, and verifies")
  func stored() throws {
    let (folder, original) = (try TemporaryFolder(), try content())
    var content = original
    content.references = [
      ReferenceSet(
        author: "by hand", inputs: [.init(name: "x", tensor: Self.input.tensor)],
        outputs: [.init(name: original.graph.outputs[0].name, tensor: Self.expected.tensor)],
        layers: [], tolerance: .standard(for: .float32), toleranceSource: .author)
    ]
    let path = folder.file("net.wbm")
    _ = try WBMExporter.write(
      content, sources: [], to: path, replacing: false, catalog: Self.catalog)
    let file = try WBMModel(
      ByteStore(MappedFile(path: path)), path: path, catalog: Self.catalog)
    #expect(file.content.graph.definitionProblems == [])
    let (engine, reference) = (
      CPURuntime(CPURuntime.Options(workers: Workers(count: 2))),
      ReferenceRuntime(workers: Workers(count: 1))
    )
    let checks: [any VerificationCheck] = [
      ContainerCheck(), ShapesCheck(), WeightsCheck(), SourceCheck(source: original),
      ReferencesCheck(runtime: engine, referenceRuntime: reference),
      EnginesCheck(
        engine: engine, reference: reference,
        tolerances: { ($0 as? any CatalogOperator)?.tolerance },
        operationCount: { $0.operationCount($1) }),
    ]
    let report = try Verifier(checks).verify(
      VerificationSubject(content: file.content, storedTypes: file.storedTypes) {
        () throws(WeighbridgeError) in try file.integrityProblems()
      })
    #expect(report.results.map(\.status) == checks.map { _ in .passed }, "\(report.results)")
    let error = failure { _ = try Model(contentsOf: path) }
    #expect(error?.reason == "unknown operator shifted_swish")
    #expect(error?.place.layer == "swish")
  }

  @Test(
    "It is written to every format of graphs and reads back",
    arguments: [ExportFormat.onnx, .coreml, .keras, .kerasHDF5])
  func exported(_ target: ExportFormat) throws {
    let (folder, content) = (try TemporaryFolder(), try content())
    let path = folder.file("net.\(target.fileExtension)")
    let report = try content.export(
      to: path, as: target, options: ExportOptions())
    let outputs = try PortableRun(Model(contentsOf: path), report, target)
      .outputs([Self.input], like: [Self.expected])
    expectAgreement(outputs.map(\.tensor), target.rawValue)
  }

  @Test("It is written for ncnn with its constants")
  func ncnn() throws {
    let (folder, content) = (try TemporaryFolder(), try content())
    let report = try content.export(
      to: folder.file("net.param"), as: .ncnn, options: ExportOptions())
    let model = try NCNNModel(Array(Files.read(folder.file("net.param"))))
    let file = try ByteStore(Array(Files.read(report.files[1]))).withBytes {
      (bytes) throws(WeighbridgeError) in try NCNNFile(model, weights: bytes)
    }
    let types = file.model.layers.map(\.type)
    #expect(types.contains("Sigmoid") && types.contains("BinaryOp"))
    let constants = try #require(file.model.layers.first { $0.type == "MemoryData" })
    #expect([0, 1, 2].map { constants.integer($0, default: 1) }.reduce(1, *) == 3)
  }
}
