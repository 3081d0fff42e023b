import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TestSupport
import Testing

/// Copies of graphs with some nodes changed or left out.
@Suite struct GraphCopyTests {
  private let source = SourceScope(layer: "layer", className: "Layer")

  /// The graph of x + x + tanh(x).
  private func graph() throws -> Graph {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [2, 3]))
    let activated = try builder.addNode(
      Tanh(), named: "tanh", inputs: [input], source: source)
    let sum = try builder.addNode(
      Add(), named: "sum", inputs: [input, input] + activated, source: source)
    return try builder.finish(outputs: [Port(name: "y", value: sum[0])])
  }

  @Test("A node whose input was not copied is refused")
  func missingInput() throws {
    let graph = try graph()
    var result = try GraphCopy(withInputsOf: graph)
    let error = failure { try result.add(graph.nodes[1]) }
    #expect(error?.code == .malformed && error?.reason.contains("tanh is read") == true)
  }

  @Test("A copy has all outputs of the original")
  func missingOutput() throws {
    let graph = try graph()
    var result = try GraphCopy(withInputsOf: graph)
    try result.add(graph.nodes[0])
    let partial = result
    let error = failure { _ = try partial.finish() }
    #expect(error?.code == .malformed && error?.reason.contains("sum is read") == true)
    try result.add(graph.nodes[1])
    #expect(try result.finish().nodes.map(\.name) == ["tanh", "sum"])
  }

  @Test("A copy and a conversion of layouts keep how the data of each node is quantized")
  func quantization() throws {
    let graph = try graph().quantizing(["sum": InputQuantization(.bfloat16)])
    let copy = try GraphCopy(graph, for: graph.outputs.map(\.value)).finish()
    #expect(copy.nodes.map(\.quantization) == [nil, InputQuantization(.bfloat16)])
    let converted = try LayoutConversion(
      graph, to: .channelsFirst, transposesPorts: false, needsLayout: { _ in false }
    ).graph
    #expect(converted.nodes.map(\.quantization) == [nil, InputQuantization(.bfloat16)])
    let part = try graph.cut(
      from: [Port(name: "x", value: ValueID(0))], to: [Port(name: "y", value: ValueID(2))])
    #expect(part.nodes.map(\.quantization) == [nil, InputQuantization(.bfloat16)])
  }

  @Test("An input keeps its name, also one that a layer has, and the value its own")
  func portNames() throws {
    let graph = try graph().renamingPorts(inputs: ["tanh"], outputs: ["sum"])
    let copy = try GraphCopy(graph, for: graph.outputs.map(\.value)).finish()
    #expect(copy.inputs.map(\.name) == ["tanh"] && copy.outputs.map(\.name) == ["sum"])
    #expect(copy.values.map(\.name) == ["x", "tanh", "sum"])
  }

  @Test("Weights that nothing reads are not in a copy")
  func weights() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [2]))
    let weights = try ["w", "v"].map {
      try builder.addWeight($0, Tensor(.float32, shape: [2], [1, 2]))
    }
    let sums = try weights.map { weight in
      try builder.addNode(Add(), inputs: [input, weight], source: source)[0]
    }
    let graph = try builder.finish(
      outputs: sums.enumerated().map { Port(name: "\($0)", value: $1) })
    let copy = try GraphCopy(graph, for: [sums[1]])
      .finish(outputs: [Port(name: "y", value: sums[1])])
    #expect(copy.weights.map(\.name) == ["v"])
  }

  @Test("A value that is added to a copy gets no name that a later value of the original has")
  func reservedNames() throws {
    let image = TensorType(.float32, [1, 4, 4, 2])
    var builder = GraphBuilder()
    let input = try builder.addInput("x", image)
    let pooled = try builder.addNode(
      GlobalMaxPooling(keepDims: true, layout: .channelsLast), named: "pooled", inputs: [input],
      source: source)
    let last = try builder.addNode(
      Tanh(), named: "x/channels_first", inputs: [input], source: source)
    let graph = try builder.finish(outputs: [
      Port(name: "a", value: pooled[0]), Port(name: "b", value: last[0]),
    ])
    let converted = try LayoutConversion(
      graph, to: .channelsFirst, transposesPorts: false, needsLayout: { $0 is any ImageOperator }
    ).graph
    #expect(converted.nodes.contains { $0.operation is Transpose })
    #expect(converted[converted.outputs[1].value].name == "x/channels_first")
  }
}
