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

  /// Operators along one of five axes, and the shapes of their inputs. The other axes are 3, 4, 5 and 6.
  private static let fiveAxes: [(operation: any CatalogOperator, shapes: [[Int]])] = [
    (Gather(axis: 0), [[2, 3, 4, 5, 6], [1]]), (Softmax(axes: [2]), [[2, 3, 4, 5, 6]]),
    (Add(), [[2, 3, 4, 5, 6], [2, 3, 1, 5, 6]]),
    (Slice([.init(axis: 4, start: 1, stop: 3, step: 1)]), [[2, 3, 4, 5, 6]]),
    (MatMul(transposeA: false, transposeB: true), [[2, 3, 4, 5, 6], [2, 3, 4, 2, 6]]),
    (Reduce(.sum, axes: [1], keepDims: false), [[2, 3, 4, 5, 6]]),
  ]

  @Test(
    "Of too many axes, those are one that an operator leaves as they are",
    arguments: fiveAxes.indices)
  func merged(position: Int) throws {
    let (operation, shapes) = Self.fiveAxes[position]
    var builder = GraphBuilder()
    let source = SourceScope(layer: "layer", className: "Layer")
    let input = try builder.addInput("x", TensorType(.float32, [1, 720]))
    let values = try builder.addNode(
      ReshapeAxes(shapes[0].map { .fixed($0) }), inputs: [input], source: source)
    var operands = values
    for shape in shapes.dropFirst() {
      let numbers = (0..<shape.reduce(1, *)).map { Double($0 % 7) }
      let type: ElementType = operation is Gather ? .int64 : .float32
      operands.append(
        try builder.addWeight("weight", Tensor(type, shape: shape, type == .int64 ? [1] : numbers)))
    }
    let results = try builder.addNode(operation, inputs: operands, source: source)
    let graph = try builder.finish(outputs: [Port(name: "y", value: results[0])])
    let types = graph.values.map(\.type)
    let compact = try #require(
      try UnitAxes(graph, types, maximumRank: 3, startsWithOne: true).graph)
    let inside = compact.nodes.dropLast().flatMap(\.outputs).map { compact[$0].type }
    #expect(inside.allSatisfy { $0.rank <= 4 && $0.shape.first == 1 }, "\(inside)")
    let given = Tensor(.float32, shape: [1, 720], (0..<720).map { Double($0 * 37 % 101) / 10 })
    let runtime = ReferenceRuntime(workers: Workers(count: 1))
    let expected = try runtime.run(graph, inputs: [given]) { _ in }[0]
    let actual = try runtime.run(compact, inputs: [given]) { _ in }[0]
    #expect(actual.shape == expected.shape && actual.doubles == expected.doubles)
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
