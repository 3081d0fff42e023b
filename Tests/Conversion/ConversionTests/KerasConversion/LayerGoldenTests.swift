import TestSupport
import Testing
import Weighbridge

/// What single layers compute, against what Keras computed.
@Suite struct LayerGoldenTests {
  @Test("There are at least 176 recorded layers")
  func caseCount() {
    #expect(LayerCase.all.count >= 176)
  }

  @Test(
    "A layer computes what Keras computed, from the source and from the .wbm alike",
    arguments: LayerCase.all)
  func golden(_ layer: LayerCase) throws {
    let (inputs, expected) = (try ArrayFile.read(layer.inputs), try ArrayFile.read(layer.outputs))
    let model = try Model(contentsOf: layer.model)
    #expect(model.content.graph.nodes.contains { $0.operation.kind == layer.operatorKind })
    let outputs = try model.run(inputs).outputs
    expectAgreement(outputs, expected)
    try expectPredictedTypes(model, inputs, outputs)

    let folder = try TemporaryFolder()
    let path = folder.file("layer.wbm")
    try model.write(to: path)
    let stored = try Model(contentsOf: path)
    let again = try stored.run(inputs).outputs
    #expect(again.map(\.name) == outputs.map(\.name))
    #expect(
      again.map { $0.tensor.contiguousBytes() } == outputs.map { $0.tensor.contiguousBytes() })
    try expectSource(stored, layer, inputs, expected)
  }

  private func expectAgreement(_ outputs: [NamedTensor], _ expected: [NamedTensor]) {
    #expect(Set(outputs.map(\.name)) == Set(expected.map(\.name)))
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
  }

  /// The types that the model states agree with those of the arrays, and those inferred for the
  /// arrays at hand are exactly theirs.
  private func expectPredictedTypes(
    _ model: Model, _ inputs: [NamedTensor], _ outputs: [NamedTensor]
  ) throws {
    let graph = model.content.graph
    let types = try graph.specialized(
      to: model.inputs.map { try #require(inputs[$0.name]) })
    for (port, output) in zip(graph.outputs, outputs) {
      #expect(types[port.value.index] == output.tensor.type)
      #expect(graph[port.value].type.agrees(with: output.tensor.type))
    }
  }

  private func expectSource(
    _ stored: Model, _ layer: LayerCase, _ inputs: [NamedTensor], _ expected: [NamedTensor]
  ) throws {
    var options = VerifyOptions()
    options.against = layer.model
    options.references = (inputs: inputs, outputs: expected)
    let report = try stored.verify(options)
    #expect(report.passed, "\(report.results)")
    let names = Set(report.results.filter { $0.status == .passed }.map(\.name))
    #expect(names == ["container", "shapes", "weights", "source", "references", "engines"])
  }
}
