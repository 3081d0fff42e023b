import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Verifier
import _CatalogTesting

/// A convolution and the depthwise convolution that is the only reader of its result.
@Suite struct ConvolutionPairTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var images = 1
    /// Height and width of what both convolutions are made of.
    var dimensions = [70, 75]
    var channels = (from: 7, between: 56)
    /// The first one's window and strides.
    var first = (window: 1, strides: 1)
    var window = [3, 3]
    var strides = [1, 1]
    var dilation = [1, 1]
    /// Zeros around the depthwise convolution's input, as a layer of its own; otherwise its padding
    /// is "same".
    var zeros: Borders?
    var hasBias = true

    var testDescription: String {
      "\(images) of \(dimensions), \(channels), \(first), \(window), \(strides), \(dilation), "
        + "\(zeros.map { "\($0)" } ?? "same")"
    }
  }

  private static let cases = [
    Case(),
    Case(images: 3, channels: (20, 60), hasBias: false),
    Case(channels: (16, 64), strides: [2, 2], zeros: Borders(before: [0, 0], after: [1, 1])),
    Case(channels: (16, 100), strides: [1, 2]),
    Case(dimensions: [100, 60], channels: (3, 70), first: (3, 1), window: [5, 5]),
    Case(dimensions: [160, 150], channels: (3, 48), first: (3, 2), strides: [3, 3]),
    Case(dimensions: [100, 60], channels: (9, 50), window: [3, 5], dilation: [2, 1]),
    Case(channels: (9, 52), window: [1, 4], strides: [4, 1]),
    Case(
      channels: (4, 64), window: [2, 2],
      zeros: Borders(before: [3, 0], after: [0, 2])),
  ]

  private let source = SourceScope(layer: "layer", className: "Layer")

  /// The two, a normalization and a function behind each.
  ///
  /// - Parameter showsMiddle: Whether what the first one makes is an output too.
  private func graph(_ testCase: Case, showsMiddle: Bool = false) throws -> (Graph, Tensor) {
    let channels = testCase.channels
    let shape = [testCase.images] + testCase.dimensions + [channels.from]
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
    func weight(_ name: String, _ shape: [Int], _ range: ClosedRange<Double>) throws -> ValueID {
      try builder.addWeight(
        name, .random(.float32, shape: shape, in: range, seed: UInt64(name.utf8.count)))
    }
    func add(_ operation: any Operator, _ name: String, _ inputs: [ValueID]) throws -> ValueID {
      try builder.addNode(operation, named: name, inputs: inputs, source: source)[0]
    }
    func finish(_ value: ValueID, _ name: String) throws -> ValueID {
      let weights = try zip(["gamma", "beta", "mean", "variance"], [0.5, -1, -1, 0.5]).map {
        try weight("\(name)/\($0)", [channels.between], $1...1)
      }
      let normalization = BatchNormalization(
        axis: 3, epsilon: 1e-3, hasScale: true, hasCenter: true)
      let normalized = try add(normalization, "\(name)/normal", [value] + weights)
      return try add(ReLU(slope: 0, threshold: 0, maximum: 6), "\(name)/relu", [normalized])
    }
    let side = testCase.first.window
    let kernel = try weight("first", [channels.between, channels.from, side, side], -0.5...0.5)
    let bias = testCase.hasBias ? [try weight("first/bias", [channels.between], -1...1)] : []
    let first = Convolution(
      window: Window(
        size: [side, side], strides: [testCase.first.strides, testCase.first.strides],
        dilation: [1, 1], padding: .same),
      groups: 1, hasBias: testCase.hasBias, layout: .channelsLast)
    let middle = try finish(add(first, "first", [input, kernel] + bias), "a")
    var value = middle
    if let zeros = testCase.zeros {
      value = try add(ZeroPadding(borders: zeros, layout: .channelsLast), "zeros", [value])
    }
    let second = Convolution(
      window: Window(
        size: testCase.window, strides: testCase.strides, dilation: testCase.dilation,
        padding: testCase.zeros == nil ? .same : .valid),
      groups: channels.between, hasBias: false, layout: .channelsLast)
    let depthwiseKernel = try weight("depthwise", [channels.between, 1] + testCase.window, -1...1)
    value = try finish(add(second, "depthwise", [value, depthwiseKernel]), "b")
    let ports =
      [Port(name: "y", value: value)] + (showsMiddle ? [Port(name: "m", value: middle)] : [])
    return (
      try builder.finish(outputs: ports), .random(.float32, shape: shape, in: -1...1, seed: 3)
    )
  }

  private func run(
    _ graph: Graph, _ input: Tensor, threads: Int
  ) throws -> (outputs: [Tensor], kernels: [String]) {
    var kernels: [String] = []
    let options = CPURuntime.Options(workers: Workers(count: threads))
    let outputs = try CPURuntime(options).run(graph, inputs: [input]) {
      kernels.append("\($0.kernel)")
    }
    return (outputs, kernels)
  }

  @Test("The two convolutions are computed together and agree with the reference", arguments: cases)
  func agreement(_ testCase: Case) throws {
    let (graph, input) = try graph(testCase)
    let expected = try ReferenceRuntime(workers: Workers(count: 2))
      .run(graph, inputs: [input]) { _ in }
    let one = try run(graph, input, threads: 1)
    #expect(one.kernels.count { $0.contains("blocked and depthwise") } == 1, "\(one.kernels)")
    let difference = TensorDifference(actual: one.outputs[0], expected: expected[0])
    #expect(difference.isWithin(Tolerance(absolute: 2e-5, relative: 1e-5)), "\(difference)")
    let three = try run(graph, input, threads: 3)
    #expect(
      one.outputs[0].contiguousBytes() == three.outputs[0].contiguousBytes(),
      "the threads change the numbers")
  }

  @Test(
    "A pair whose first result is also an output, or needs too many rows kept, is not fused")
  func alone() throws {
    for (testCase, showsMiddle) in [
      (Case(), true), (Case(window: [9, 3]), false), (Case(dimensions: [30, 30]), false),
    ] {
      let (graph, input) = try graph(testCase, showsMiddle: showsMiddle)
      let expected = try ReferenceRuntime(workers: Workers(count: 2))
        .run(graph, inputs: [input]) { _ in }
      let result = try run(graph, input, threads: 2)
      #expect(!result.kernels.contains { $0.contains("blocked and") }, "\(result.kernels)")
      #expect(result.kernels.contains { $0.contains("depthwise") })
      #expect(result.outputs.count == expected.count)
      for (actual, expected) in zip(result.outputs, expected) {
        let difference = TensorDifference(actual: actual, expected: expected)
        #expect(difference.isWithin(Tolerance(absolute: 2e-5, relative: 1e-5)), "\(difference)")
      }
    }
  }

  @Test("A NaN reaches exactly the outputs whose windows cover it")
  func nan() throws {
    let testCase = Case()
    let (graph, input) = try graph(testCase)
    var numbers = input.doubles
    numbers[(3 * testCase.dimensions[1] + 4) * testCase.channels.from + 5] = .nan
    let result = try run(graph, Tensor(.float32, shape: input.shape, numbers), threads: 2)
    #expect(result.outputs[0].doubles.count(where: \.isNaN) == 9 * testCase.channels.between)
  }
}
