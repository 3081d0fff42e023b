import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Verifier
import _CatalogTesting

/// Convolutions, of all kinds of channels, windows and groups.
@Suite struct BlockedConvolutionTests {
  /// The input and the parameters of a convolution.
  struct Case: Sendable, CustomTestStringConvertible {
    var images = 1
    var dimensions = [9, 13]
    var channels = (from: 32, to: 64)
    var window = [3, 3]
    var dilation = [1, 1]
    var strides = [1, 1]
    var groups = 1
    var padding = WindowPadding.same
    var layout = DataLayout.channelsLast
    var hasBias = true

    var testDescription: String {
      "\(images) of \(dimensions), \(channels) in \(groups), \(window) by \(dilation), "
        + "\(strides), \(padding), \(layout)"
    }
  }

  private let source = SourceScope(layer: "layer", className: "Layer")

  private static let cases: [Case] =
    (1...30).map { Case(dimensions: [3, $0]) } + [
      Case(images: 3, dimensions: [7, 7], channels: (16, 96)),
      Case(dimensions: [13, 13], channels: (256, 64), hasBias: false),
      Case(dimensions: [12, 17], window: [2, 4]),
      Case(dimensions: [12, 17], window: [1, 5], padding: .valid),
      Case(dimensions: [11, 16], dilation: [2, 3]),
      Case(dimensions: [11, 16], dilation: [3, 2], padding: .valid),
      Case(
        dimensions: [5, 6], window: [5, 3], padding: .explicit(before: [4, 0], after: [0, 3])),
      Case(images: 2, dimensions: [10, 8], layout: .channelsFirst),
      Case(dimensions: [1, 1]),
      Case(dimensions: [23, 31], channels: (3, 16)),
      Case(dimensions: [23, 31], channels: (3, 40), window: [7, 7], strides: [2, 2]),
      Case(dimensions: [14, 9], channels: (1, 1), window: [5, 5], layout: .channelsFirst),
      Case(dimensions: [14, 9], channels: (20, 37)),
      Case(dimensions: [14, 9], channels: (48, 125), window: [1, 1]),
      Case(dimensions: [15, 28], channels: (64, 33), window: [1, 1], strides: [2, 2]),
      Case(dimensions: [15, 28], strides: [2, 3]),
      // As many outputs as inputs along each axis, although the step is 2.
      Case(dimensions: [5, 1], channels: (48, 40), window: [1, 1], strides: [1, 2]),
      Case(dimensions: [1, 7], channels: (3, 16), window: [1, 1], strides: [2, 1]),
    ] + transformed + planar + [
      Case(dimensions: [15, 28], channels: (32, 32), groups: 32),
      Case(
        dimensions: [15, 28], channels: (40, 40), window: [5, 3], strides: [2, 1], groups: 40),
      Case(dimensions: [15, 28], channels: (20, 20), dilation: [2, 3], groups: 20),
      Case(dimensions: [8, 9], channels: (32, 64), groups: 8),
      Case(dimensions: [8, 9], channels: (30, 20), groups: 10),
      Case(dimensions: [8, 9], channels: (64, 96), groups: 2),
      Case(dimensions: [8, 9], channels: (12, 24), groups: 12),
    ] + partialBlocks + depthwise

  /// Channel counts whose last block is partially filled, for inputs and outputs.
  private static let partialBlocks =
    [17, 20, 24, 39, 48].flatMap { channels in
      [
        Case(channels: (channels, 64), window: [1, 1]),
        Case(channels: (channels, 24), window: [2, 3], layout: .channelsFirst),
        Case(channels: (32, channels), window: [1, 1]),
        Case(channels: (16, channels), window: [1, 3], hasBias: false),
      ]
    }

  /// Rows that are cut into tiles, with steps of their own for every, every second and other
  /// elements.
  private static let depthwise =
    (1...30).flatMap { columns in
      [1, 2, 3].map {
        Case(dimensions: [4, columns], channels: (20, 20), strides: [1, $0], groups: 20)
      }
    } + [
      Case(
        dimensions: [3, 4], channels: (16, 16), window: [3, 7], groups: 16,
        padding: .explicit(before: [1, 9], after: [4, 8])),
      Case(
        dimensions: [9, 17], channels: (16, 16), window: [3, 2], dilation: [1, 4], groups: 16,
        padding: .explicit(before: [0, 5], after: [2, 3])),
    ]

  /// Those that Winograd's algorithm computes.
  private static let transformed = [
    Case(images: 2, dimensions: [13, 17], channels: (48, 100)),
    Case(dimensions: [16, 33], channels: (33, 64), padding: .valid, hasBias: false),
    Case(images: 9, dimensions: [4, 4], channels: (64, 40), layout: .channelsFirst),
    Case(
      dimensions: [12, 16], channels: (130, 36),
      padding: .explicit(before: [2, 0], after: [1, 3])),
    Case(dimensions: [64, 65], channels: (64, 32)),
    // Weights so large that they are transformed at each use.
    Case(images: 2, dimensions: [13, 9], channels: (530, 508)),
    Case(dimensions: [22, 26], channels: (512, 520), padding: .valid, hasBias: false),
  ]

  /// Few outputs, which are computed with pixels in the elements of vectors.
  private static let planar =
    (1...8).flatMap { outputs in
      [
        Case(dimensions: [7, 16 + 5 * outputs], channels: (1, outputs)),
        Case(
          images: 2, dimensions: [9, 40], channels: (17 + outputs, outputs), window: [2, 5],
          padding: .valid, layout: .channelsFirst),
      ]
    } + [
      Case(dimensions: [12, 17], channels: (40, 3), window: [9, 9]),
      Case(
        dimensions: [5, 18], channels: (32, 2), window: [3, 7],
        padding: .explicit(before: [1, 9], after: [4, 8])),
      Case(dimensions: [11, 16], channels: (24, 4), window: [2, 4], dilation: [2, 3]),
      Case(
        dimensions: [9, 20], channels: (8, 5), window: [5, 3], strides: [2, 1], hasBias: false),
      // Planes that are computed some rows at a time.
      Case(dimensions: [35, 280], channels: (66, 2), window: [3, 2]),
    ]

  @Test("Convolutions are computed by the kernels that take the fewest products")
  func kernels() throws {
    let expected =
      Self.transformed.map { ($0, "Winograd") }
      + Self.planar.filter { $0.channels.to <= 4 }.map { ($0, "planar") }
    #expect(expected.count == 19)
    for (testCase, name) in expected {
      let (graph, input) = try graph(testCase, [])
      var kernels: [String] = []
      let options = CPURuntime.Options(workers: Workers(count: 2))
      _ = try CPURuntime(options).run(graph, inputs: [input]) { kernels.append("\($0.kernel)") }
      #expect(kernels.contains { $0.contains(name) }, "\(testCase): \(kernels)")
    }
  }

  /// A convolution followed by post-operations.
  private func graph(_ testCase: Case, _ postOperations: [any Operator]) throws -> (Graph, Tensor) {
    let (rows, columns) = (testCase.dimensions[0], testCase.dimensions[1])
    let shape =
      testCase.layout == .channelsLast
      ? [testCase.images, rows, columns, testCase.channels.from]
      : [testCase.images, testCase.channels.from, rows, columns]
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
    let kernel = try builder.addWeight(
      "k",
      .random(
        .float32,
        shape: [testCase.channels.to, testCase.channels.from / testCase.groups] + testCase.window,
        in: -0.1...0.1, seed: 1))
    var inputs = [input, kernel]
    if testCase.hasBias {
      inputs.append(
        try builder.addWeight(
          "b", .random(.float32, shape: [testCase.channels.to], in: -1...1, seed: 2)))
    }
    let convolution = Convolution(
      window: Window(
        size: testCase.window, strides: testCase.strides, dilation: testCase.dilation,
        padding: testCase.padding),
      groups: testCase.groups, hasBias: testCase.hasBias, layout: testCase.layout)
    var value = try builder.addNode(
      convolution, named: "conv", inputs: inputs, source: source)
    for (number, operation) in postOperations.enumerated() {
      value = try builder.addNode(
        operation, named: "end \(number)", inputs: value + (operation is Add ? [input] : []),
        source: source)
    }
    let graph = try builder.finish(outputs: [Port(name: "y", value: value[0])])
    return (graph, .random(.float32, shape: shape, in: -1...1, seed: 3))
  }

  private func expectAgreement(
    _ graph: Graph, _ input: Tensor, threads: Int
  ) throws -> Tensor {
    let expected = try ReferenceRuntime(workers: Workers(count: 2))
      .run(graph, inputs: [input]) { _ in }
    var kernels: [KernelKind] = []
    let options = CPURuntime.Options(workers: Workers(count: threads))
    let actual = try CPURuntime(options).run(graph, inputs: [input]) { kernels.append($0.kernel) }
    let difference = TensorDifference(actual: actual[0], expected: expected[0])
    #expect(difference.isWithin(Tolerance(absolute: 2e-5, relative: 1e-5)), "\(difference)")
    #expect(!kernels.contains(.reference), "\(kernels)")
    return actual[0]
  }

  @Test("Blocked convolutions agree with the reference", arguments: cases)
  func agreement(_ testCase: Case) throws {
    let (graph, input) = try graph(testCase, [LeakyReLU(slope: 0.1)])
    let one = try expectAgreement(graph, input, threads: 1)
    let two = try expectAgreement(graph, input, threads: 2)
    #expect(one.contiguousBytes() == two.contiguousBytes(), "the threads change the numbers")
  }

  @Test(
    "Fused operations are applied to complete sums",
    arguments: [64, 40, 52].flatMap { channels in
      [1, channels].map {
        Case(dimensions: [9, 13], channels: (channels, channels), groups: $0)
      }
    } + [4, 5].map { Case(dimensions: [9, 17], channels: ($0, $0), window: [5, 4]) })
  func postOperations(square: Case) throws {
    let relu = ReLU(slope: 0, threshold: 0, maximum: nil)
    let relu6 = ReLU(slope: 0, threshold: 0, maximum: 6)
    let all: [[any Operator]] = [
      [], [relu], [relu6], [ELU(alpha: 0.5)], [Add(), relu], [relu, Add()],
    ]
    for postOperations in all {
      let (graph, input) = try graph(square, postOperations)
      _ = try expectAgreement(graph, input, threads: 2)
    }
  }

  @Test("The ReLU of a sum that overflows to -infinity is 0", arguments: [1, 32])
  func overflow(groups: Int) throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 4, 4, 32]))
    let shape = [32, 32 / groups, 1, 1]
    let weights = [Double](repeating: -1e37, count: shape.reduce(1, *))
    let kernel = try builder.addWeight("k", Tensor(.float32, shape: shape, weights))
    let convolution = Convolution(
      window: Window(size: [1, 1], strides: [1, 1], dilation: [1, 1], padding: .valid),
      groups: groups, hasBias: false, layout: .channelsLast)
    let sums = try builder.addNode(
      convolution, named: "conv", inputs: [input, kernel], source: source)
    let output = try builder.addNode(
      ReLU(slope: 0, threshold: 0, maximum: nil), named: "relu", inputs: sums, source: source)
    let graph = try builder.finish(outputs: [Port(name: "y", value: output[0])])
    let hundreds = Tensor(
      .float32, shape: [1, 4, 4, 32], [Double](repeating: 100, count: 4 * 4 * 32))
    let relu = try expectAgreement(graph, hundreds, threads: 1)
    #expect(relu.doubles == [Double](repeating: 0, count: 4 * 4 * 32))
    let unfused = CPURuntime.Options(workers: Workers(count: 1), observesAllNodes: true)
    let alone = try CPURuntime(unfused).run(graph, inputs: [hundreds]) { _ in }[0]
    #expect(alone.doubles == relu.doubles)
  }

  @Test("A NaN reaches exactly the outputs whose window covers it")
  func nan() throws {
    let testCase = Case(dimensions: [16, 16])
    let (graph, input) = try graph(testCase, [LeakyReLU(slope: 0.1)])
    var numbers = input.doubles
    numbers[(3 * 16 + 4) * testCase.channels.from + 5] = .nan
    let poisoned = Tensor(.float32, shape: input.shape, numbers)
    let output = try expectAgreement(graph, poisoned, threads: 2)
    #expect(output.doubles.count(where: \.isNaN) == 9 * testCase.channels.to)
  }
}
