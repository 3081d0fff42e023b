import Bytes
import GraphIR
import LayerCatalog
import ModelComparison
import Testing
import Verifier

@Suite struct GraphComparisonTests {
  /// A small network: convolution, batch normalization, activation, pooling.
  private struct Network {
    var layout = DataLayout.channelsLast
    var stride = 1
    var activation: any CatalogOperator = ReLU(slope: 0, threshold: 0, maximum: nil)
    var hasDropout = false
    var transposesInside = false
    var kernel = Tensor(.float32, shape: [3, 2, 1, 1], (0..<6).map { Double($0) })
    var prefix = "first"

    func graph() throws -> Graph {
      var builder = GraphBuilder()
      let shape: [Dimension] =
        layout == .channelsLast && !transposesInside || layout == .channelsFirst && transposesInside
        ? [.symbolic("batch"), 4, 5, 2] : [.symbolic("batch"), 2, 4, 5]
      var value = try builder.addInput("\(prefix)_input", TensorType(.float32, shape))
      func add(_ operation: any CatalogOperator, _ inputs: [ValueID], _ name: String) throws {
        value = try builder.addNode(
          operation, named: "\(prefix)_\(name)", inputs: inputs,
          source: SourceScope(layer: "\(prefix)_\(name)", className: name))[0]
      }
      if transposesInside { try add(Transpose(axes: [0, 3, 1, 2]), [value], "turn") }
      let kernel = try builder.addWeight("\(prefix)_kernel", kernel)
      try add(
        Convolution(
          window: Window(
            size: [1, 1], strides: [stride, stride], dilation: [1, 1], padding: .valid),
          groups: 1, hasBias: false, layout: layout), [value, kernel], "convolution")
      if hasDropout { try add(Identity(), [value], "dropout") }
      try add(activation, [value], "activation")
      if transposesInside { try add(Transpose(axes: [0, 2, 3, 1]), [value], "turn_back") }
      return try builder.finish(outputs: [Port(name: "\(prefix)_output", value: value)])
    }
  }

  private func items(
    _ first: Network, _ second: Network, names: Bool = false
  ) throws -> [ModelDifferences.Item] {
    GraphComparison.differences(
      try first.graph(), try second.graph(), usesNames: names
    ).items
  }

  @Test("Names, dropout and the order of the image axes do not matter")
  func same() throws {
    var other = Network()
    other.prefix = "second"
    other.hasDropout = true
    #expect(try items(Network(), other).isEmpty)
    other.layout = .channelsFirst
    #expect(try items(Network(), other).isEmpty)
    #expect(try items(other, Network()).isEmpty)
    other.transposesInside = true
    #expect(try items(Network(), other).isEmpty)
  }

  @Test("With names, other names matter")
  func names() throws {
    var other = Network()
    #expect(try items(Network(), other, names: true).isEmpty)
    other.prefix = "second"
    let kinds = try items(Network(), other, names: true).map(\.kind)
    #expect(kinds.contains(.structure))
    #expect(kinds.contains(.port))
  }

  @Test("A changed number is found, with its layers")
  func weight() throws {
    var other = Network()
    other.prefix = "second"
    other.kernel = Tensor(.float32, shape: [3, 2, 1, 1], [0, 1, 2, 3.5, 4, 5])
    let items = try items(Network(), other)
    let item = try #require(items.first)
    #expect(items.count == 1)
    #expect(item.kind == .weight)
    #expect(item.first == "first_convolution")
    #expect(item.second == "second_convolution")
    #expect(item.reason == "kernel differs in 1 of 6 numbers")
    #expect(item.difference?.maxAbsolute == 0.5)
  }

  @Test("A changed setting and another operator are found")
  func structure() throws {
    var other = Network()
    other.stride = 2
    let items = try items(Network(), other)
    #expect(items.map(\.kind) == [.setting, .port])
    #expect(items[0].reason == "strides is [1, 1] and [2, 2]")
    other.stride = 1
    other.activation = Sigmoid()
    let exchanged = try self.items(Network(), other)
    #expect(exchanged.map(\.kind) == [.structure, .structure, .structure])
    #expect(exchanged[0].reason == "relu is only in the first")
    #expect(exchanged[1].reason == "sigmoid is only in the second")
  }

  /// A batch normalization of an input.
  private func normalization(
    gamma: [Double], beta: [Double], mean: [Double], variance: [Double], epsilon: Double,
    momentum: Double? = nil
  ) throws -> Graph {
    var builder = GraphBuilder()
    let shape: [Dimension] = [.symbolic("batch"), 4, 5, 2]
    let input = try builder.addInput("input", TensorType(.float32, shape))
    var weights: [ValueID] = []
    for (name, numbers) in [
      ("gamma", gamma), ("beta", beta), ("mean", mean), ("variance", variance),
    ] {
      weights.append(try builder.addWeight(name, Tensor(.float32, shape: [2], numbers)))
    }
    let output = try builder.addNode(
      BatchNormalization(
        axis: 3, epsilon: epsilon, hasScale: true, hasCenter: true, momentum: momentum),
      named: "normalization", inputs: [input] + weights,
      source: SourceScope(layer: "normalization", className: "BatchNormalization"))[0]
    return try builder.finish(outputs: [Port(name: "output", value: output)])
  }

  @Test("What only training uses is no difference")
  func training() throws {
    let graphs = try [nil, 0.9].map { momentum in
      try normalization(
        gamma: [1, 2], beta: [3, 4], mean: [5, 6], variance: [7, 8], epsilon: 1e-3,
        momentum: momentum)
    }
    let comparison = GraphComparison.differences(graphs[0], graphs[1], usesNames: false)
    #expect(comparison.items.isEmpty && comparison.pairedOperators == 1)
  }

  @Test("A folded batch normalization is known as such, and a changed one is a difference")
  func folding() throws {
    let gamma = [0.5, -2.0]
    let (beta, mean, variance) = ([1.0, 0.25], [3.0, -1.5], [4.0, 0.01])
    let factors = gamma.indices.map { gamma[$0] / (variance[$0] + 1e-3).squareRoot() }
    let offsets = beta.indices.map { beta[$0] - mean[$0] * factors[$0] }
    let original = try normalization(
      gamma: gamma, beta: beta, mean: mean, variance: variance, epsilon: 1e-3)
    func folded(_ offsets: [Double]) throws -> ModelDifferences {
      let other = try normalization(
        gamma: factors, beta: offsets, mean: [0, 0], variance: [1 - 1e-5, 1 - 1e-5], epsilon: 1e-5)
      return GraphComparison.differences(original, other, usesNames: false)
    }
    let same = try folded(offsets)
    #expect(same.isEmpty)
    #expect(same.items.first?.reason.hasPrefix("is folded") == true)
    #expect(try !folded([offsets[0], offsets[1] + 1e-3]).isEmpty)
  }

  @Test("A batch axis that one of two models lacks does not matter")
  func missingBatch() throws {
    var builder = GraphBuilder()
    var value = try builder.addInput("input", TensorType(.float32, [2, 4, 5]))
    func add(_ operation: any CatalogOperator, _ inputs: [ValueID]) throws {
      value = try builder.addNode(
        operation, named: "node", inputs: inputs,
        source: SourceScope(layer: "node", className: "node"))[0]
    }
    try add(ExpandDims(axes: [0]), [value])
    let kernel = try builder.addWeight("kernel", Network().kernel)
    try add(
      Convolution(
        window: Window(size: [1, 1], strides: [1, 1], dilation: [1, 1], padding: .valid),
        groups: 1, hasBias: false, layout: .channelsFirst), [value, kernel])
    try add(ReLU(slope: 0, threshold: 0, maximum: nil), [value])
    try add(Squeeze(axes: [0]), [value])
    let other = try builder.finish(outputs: [Port(name: "output", value: value)])
    #expect(
      GraphComparison.differences(try Network().graph(), other, usesNames: false).items.isEmpty)
  }
}
