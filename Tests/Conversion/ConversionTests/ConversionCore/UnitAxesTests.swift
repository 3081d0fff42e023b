import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ReferenceRuntime
import TestSupport
import Testing
import Weighbridge

/// Graphs without the axes of size 1 that targets cannot hold.
@Suite struct UnitAxesTests {
  /// One example of `Samples/ONNX/tokens`: attention with the batch as second axis, and windows of an image.
  private func example() throws -> (graph: Graph, inputs: [Tensor], outputs: [Tensor]) {
    let model = try Model(contentsOf: Paths.sample("ONNX/tokens.onnx"))
    let arrays = try ["inputs", "outputs"].map { name in
      try ArrayFile.read(Paths.sample("ONNX/tokens.\(name).npz")).map {
        $0.tensor.slice(0..<1, along: 0)
      }
    }
    return (model.content.graph, arrays[0], arrays[1])
  }

  @Test(
    "Every array starts with the batch and has four axes more at most, and onnxruntime's numbers remain"
  )
  func ncnn() throws {
    let (graph, inputs, outputs) = try example()
    let types = try SingleExample.types(graph, for: "ncnn")
    let isHeld = { (type: TensorType) in type.rank <= 5 && type.shape.first == 1 }
    #expect(!types.filter { !isHeld($0) }.isEmpty)
    let changed = try UnitAxes(graph, types, maximumRank: 4, startsWithOne: true)
    let compact = try #require(changed.graph)
    for node in compact.nodes {
      for id in node.outputs {
        #expect(isHeld(compact[id].type), "\(node.name): \(compact[id].type)")
      }
    }
    let actual = try ReferenceRuntime(workers: Workers(count: 1)).run(compact, inputs: inputs) {
      _ in
    }
    #expect(actual.count == outputs.count)
    for (actual, expected) in zip(actual, outputs) {
      #expect(actual.shape == expected.shape)
      for (one, other) in zip(actual.doubles, expected.doubles) { #expect(abs(one - other) < 1e-5) }
    }
  }

  @Test("Where the first axis may have any size, only arrays of many axes change")
  func coreML() throws {
    let (graph, _, _) = try example()
    let types = try SingleExample.types(graph, for: "Core ML")
    let changed = try UnitAxes(graph, types, maximumRank: 4, startsWithOne: false)
    let compact = try #require(changed.graph)
    #expect(compact.values.allSatisfy { $0.type.rank <= 5 })
    #expect(compact.values.contains { $0.constant == nil && $0.type.shape.first == 5 })
    #expect(try UnitAxes(graph, types, maximumRank: 5, startsWithOne: false).graph == nil)
  }
}
