import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Verifier
import _CatalogTesting

/// Convolutions in a row with few channels, which read what the one before them left in blocks.
@Suite struct NarrowChainTests {
  /// A chain of convolutions as it is drawn.
  private struct Chain {
    var random: SplitMix64
    var builder = GraphBuilder()
    /// What the last layer of the chain computes, and its channels.
    var value: ValueID
    var channels: Int
    let input: Tensor

    private let source = SourceScope(layer: "layer", className: "Layer")

    init(seed: UInt64) throws {
      random = SplitMix64(seed: seed)
      channels = Self.draw([1, 3, 5, 8], &random)
      let shape = [Self.draw([1, 2], &random), channels, 19, 23]
      input = .random(.float32, shape: shape, in: -1...1, seed: random.next())
      value = try builder.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
    }

    private static func draw<Element>(
      _ choices: [Element], _ random: inout SplitMix64
    ) -> Element {
      choices[Int.random(in: choices.indices, using: &random)]
    }

    private mutating func weight(_ name: String, _ shape: [Int]) throws -> ValueID {
      try builder.addWeight(
        name, .random(.float32, shape: shape, in: -0.6...0.6, seed: random.next()))
    }

    /// Adds a plain, a depthwise or a transposed convolution.
    mutating func addConvolution(named name: String) throws {
      let isDepthwise = channels > 1 && Self.draw([true, false, false, false], &random)
      let isTransposed = !isDepthwise && Self.draw([true, false, false], &random)
      let groups = isDepthwise ? channels : 1
      let outputs =
        isDepthwise ? channels : Self.draw([1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 20], &random)
      let side = isDepthwise ? 3 : Self.draw([1, 3], &random)
      let step = isTransposed ? 1 : Self.draw([1, 1, 2], &random)
      let padding = [side / 2, side / 2]
      let window = Window(
        size: [side, side], strides: [step, step], dilation: [1, 1],
        padding: .explicit(before: padding, after: padding))
      let convolution: any Operator =
        isTransposed
        ? TransposedConvolution(
          window: window, outputPadding: [0, 0], groups: 1, hasBias: true, layout: .channelsFirst)
        : Convolution(window: window, groups: groups, hasBias: true, layout: .channelsFirst)
      let ends = isTransposed ? [channels, outputs] : [outputs, channels / groups]
      let kernel = try weight("\(name)/kernel", ends + [side, side])
      let bias = try weight("\(name)/bias", [outputs])
      value = try builder.addNode(
        convolution, named: name, inputs: [value, kernel, bias], source: source)[0]
      channels = outputs
    }

    /// Adds a function of each element, or none.
    mutating func addFunction(named name: String) throws {
      let functions: [(any Operator)?] = [
        ReLU(slope: 0, threshold: 0, maximum: nil), Sigmoid(), nil,
      ]
      guard let function = Self.draw(functions, &random) else { return }
      value = try builder.addNode(function, named: name, inputs: [value], source: source)[0]
    }
  }

  @Test("A chain of narrow convolutions agrees with the reference", arguments: 0..<200)
  func agreement(seed: Int) throws {
    var chain = try Chain(seed: UInt64(seed))
    for number in 1...5 {
      try chain.addConvolution(named: "convolution \(number)")
      try chain.addFunction(named: "function \(number)")
    }
    let graph = try chain.builder.finish(outputs: [Port(name: "y", value: chain.value)])
    let expected = try ReferenceRuntime(workers: Workers(count: 1))
      .run(graph, inputs: [chain.input]) { _ in }
    let results = try [1, 3].map { threads in
      let options = CPURuntime.Options(workers: Workers(count: threads))
      return try CPURuntime(options).run(graph, inputs: [chain.input]) {
        #expect($0.kernel != .reference)
      }
    }
    let difference = TensorDifference(actual: results[0][0], expected: expected[0])
    #expect(difference.isWithin(Tolerance(absolute: 2e-5, relative: 2e-5)), "\(difference)")
    #expect(
      results[0][0].contiguousBytes() == results[1][0].contiguousBytes(),
      "the threads change the numbers")
  }
}
