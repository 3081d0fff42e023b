import Bytes
import ConversionCore
import Foundation
import GraphIR
import LayerCatalog
import ReferenceRuntime
import TestSupport
import Testing
import WBMConversion
import WBMFormat
import Weighbridge
import _CatalogTesting

/// `Samples/WBM/Operators`: a file for each operator, with inputs and outputs, for other readers of
/// the format. `WEIGHBRIDGE_GENERATE=1` writes them anew.
@Suite struct OperatorVectorTests {
  private static let folder = Paths.sample("WBM/Operators")
  private static let kinds = Catalog.all.map { $0.kind }.sorted()

  /// Writes the files, once and before any test reads one, when that is asked for.
  private static let files = Result<Void, any Error> {
    guard ProcessInfo.processInfo.environment["WEIGHBRIDGE_GENERATE"] == "1" else { return }
    for name in Files.names(in: folder) {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
    for kind in kinds { try write(kind, to: "\(folder)/\(kind).wbm") }
  }

  @Test("Each operator has a file, and no other file is there")
  func names() throws {
    try Self.files.get()
    #expect(Files.names(in: Self.folder).sorted() == Self.kinds.map { "\($0).wbm" }.sorted())
  }

  @Test("The committed file holds the operator's examples", arguments: kinds)
  func isUpToDate(kind: String) throws {
    try Self.files.get()
    let (path, folder) = ("\(Self.folder)/\(kind).wbm", try TemporaryFolder())
    try Self.write(kind, to: folder.file("new.wbm"))
    let (new, old) = (try Self.read(folder.file("new.wbm")), try Self.read(path))
    let (header, committed) = (new.file.header, old.file.header)
    #expect(committed.graph == header.graph, "run with WEIGHBRIDGE_GENERATE=1 to renew")
    #expect(committed.description == header.description)
    #expect(committed.provenance == header.provenance)
    #expect(committed.references == header.references)
    #expect(committed.tensors.map(\.name) == header.tensors.map(\.name))
    let (set, expected) = (old.content.references[0], new.content.references[0])
    #expect(
      set.inputs.map { $0.tensor.contiguousBytes() }
        == expected.inputs.map { $0.tensor.contiguousBytes() })
    #expect(
      old.content.graph.weights.map { $0.tensor.contiguousBytes() }
        == new.content.graph.weights.map { $0.tensor.contiguousBytes() })
  }

  @Test("The default engine computes what the committed file holds", arguments: kinds)
  func verifies(kind: String) throws {
    try Self.files.get()
    let report = try Model(contentsOf: "\(Self.folder)/\(kind).wbm").verify()
    let references = report.results.filter { $0.name == "references" }
    #expect(!references.isEmpty && references.allSatisfy { $0.status == .passed })
    #expect(report.passed, "\(report.results.filter { $0.status == .failed })")
  }

  @Test("A file without descriptions of its inputs and outputs can be given them")
  func description() throws {
    try Self.files.get()
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: "\(Self.folder)/\(Self.kinds[0]).wbm")
    #expect(model.metadata.inputs.map(\.name) == model.inputs.map(\.name))
    var edit = DescriptionEdit()
    edit.outputNames = [.init(old: model.outputs[0].name, new: "result")]
    try model.describe(edit)
    try model.write(to: folder.file("described.wbm"))
    let described = try Model(contentsOf: folder.file("described.wbm"))
    #expect(described.outputs[0].name == "result")
    #expect(described.references[0].outputs[0].name == "result")
    #expect(try described.verify().passed)
  }

  private static func read(_ path: String) throws -> WBMModel {
    try WBMModel(ByteStore(MappedFile(path: path)), path: path)
  }

  private static func write(_ kind: String, to path: String) throws {
    let examples = OperatorExample.all.filter { $0.operation.kind == kind }
    _ = try WBMExporter.write(content(examples), sources: [], to: path, replacing: true)
  }

  /// A model with a node for each example, and what the reference kernel makes of its inputs.
  private static func content(_ examples: [OperatorExample]) throws -> ModelContent {
    var builder = GraphBuilder()
    var outputs: [GraphIR.Port] = []
    var inputs: [ReferenceSet.Entry] = []
    for (number, example) in examples.enumerated() {
      let name = "example \(number)"
      var ids: [ValueID] = []
      for (position, tensor) in example.inputs.enumerated() {
        let slot = "\(name) input \(position)"
        if example.dataPositions.contains(position) {
          inputs.append(.init(name: slot, tensor: tensor))
          ids.append(try builder.addInput(slot, tensor.type))
        } else {
          ids.append(try builder.addWeight(slot, tensor))
        }
      }
      let values = try builder.addNode(
        example.operation, named: name, inputs: ids,
        source: SourceScope(layer: name, className: example.operation.kind))
      for (position, value) in values.enumerated() {
        outputs.append(GraphIR.Port(name: "\(name) output \(position)", value: value))
      }
    }
    let graph = try builder.finish(outputs: outputs)
    let results = try ReferenceRuntime(workers: Workers(count: 1)).run(
      graph, inputs: inputs.map(\.tensor)
    ) { _ in }
    var provenance = Provenance()
    provenance.converter = "OperatorVectorTests of Weighbridge"
    return ModelContent(
      graph: graph, description: ModelDescription(), provenance: provenance,
      references: [
        ReferenceSet(
          author: "the reference kernels of Weighbridge", inputs: inputs,
          outputs: zip(outputs, results).map { .init(name: $0.name, tensor: $1) }, layers: [],
          tolerance: tolerance(examples), toleranceSource: .author)
      ])
  }

  /// How far another implementation of any of the examples may be from the reference kernel.
  private static func tolerance(_ examples: [OperatorExample]) -> Tolerance {
    let all = examples.map(\.operation.tolerance)
    return Tolerance(
      absolute: all.map(\.absolute).max() ?? 0, relative: all.map(\.relative).max() ?? 0)
  }
}
