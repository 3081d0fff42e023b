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
    var result = try GraphCopy(graph, keeping: [1])
    let error = failure { try result.add(graph.nodes[1]) }
    #expect(error?.code == .malformed && error?.reason.contains("tanh is read") == true)
  }

  @Test("A copy has all outputs of the original")
  func missingOutput() throws {
    let graph = try graph()
    var result = try GraphCopy(graph, keeping: [0, 1])
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
    let converted = try ChannelsFirst(
      graph, transposesPorts: false, outputGroup: [], needsLayout: { _ in false }
    ).graph
    #expect(converted.nodes.map(\.quantization) == [nil, InputQuantization(.bfloat16)])
  }
}
