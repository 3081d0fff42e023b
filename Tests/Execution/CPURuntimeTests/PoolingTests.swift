import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Verifier
import _CatalogTesting

/// Pooling of tensors whose axes are in an unusual order in memory.
@Suite struct PoolingTests {
  private static let window = Window(
    size: [2, 3], strides: [2, 1], dilation: [1, 1], padding: .valid)
  static let operations: [any CatalogOperator] = [
    MaxPooling(window: window, layout: .channelsLast),
    AveragePooling(window: window, countIncludePad: false, layout: .channelsLast),
  ]

  @Test(
    "Rows and columns that were swapped after a convolution are pooled as such", arguments: 0..<2)
  func swapped(_ index: Int) throws {
    let source = SourceScope(layer: "layer", className: "Layer")
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 9, 7, 16]))
    let kernel = try builder.addWeight(
      "k", .random(.float32, shape: [32, 16, 3, 3], in: -1...1, seed: 1))
    let convolution = Convolution(
      window: Window(size: [3, 3], strides: [1, 1], dilation: [1, 1], padding: .same), groups: 1,
      hasBias: false, layout: .channelsLast)
    let features = try builder.addNode(
      convolution, named: "conv", inputs: [input, kernel], source: source)
    let swapped = try builder.addNode(
      Transpose(axes: [0, 2, 1, 3]), named: "swap", inputs: features, source: source)
    let pooled = try builder.addNode(
      Self.operations[index], named: "pool", inputs: swapped, source: source)
    let graph = try builder.finish(outputs: [Port(name: "y", value: pooled[0])])
    let inputs = [Tensor.random(.float32, shape: [1, 9, 7, 16], in: -1...1, seed: 2)]
    let expected = try ReferenceRuntime(workers: Workers(count: 2))
      .run(graph, inputs: inputs) { _ in }
    let actual = try CPURuntime(CPURuntime.Options(workers: Workers(count: 2)))
      .run(graph, inputs: inputs) { _ in }
    let difference = TensorDifference(actual: actual[0], expected: expected[0])
    #expect(difference.isWithin(Tolerance(absolute: 1e-5, relative: 1e-5)), "\(difference)")
  }
}
