import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import Testing
import Verifier
import _CatalogTesting

/// Layers that are computed with bfloat16.
extension QuantizedConvolutionTests {
  @Test("A bfloat16 convolution differs from the reference only by rounding", arguments: cases)
  func bfloat16(_ testCase: Case) throws {
    let (graph, input) = try Self.graph(testCase, quantization: .init(.bfloat16))
    let (actual, kernels) = try run(graph, input)
    let kernel = testCase.mixesGroups ? "reference" : "bfloat16 convolution"
    #expect(!kernels.isEmpty && kernels.allSatisfy { $0.contains(kernel) }, "\(kernels)")
    #expect(try run(graph, input, threads: 1).output.contiguousBytes() == actual.contiguousBytes())
    let difference = TensorDifference(actual: actual, expected: try reference(graph, input))
    #expect(difference.relativeL2 < 1e-6, "\(difference)")
    // The products of rounded numbers are others than those of the numbers themselves.
    let exact = try reference(graph.quantizing([:]), input)
    let loss = TensorDifference(actual: actual, expected: exact).relativeL2
    #expect(loss > 1e-5 && loss < 1e-2)
  }

  @Test("Fused operations are applied to bfloat16 sums", arguments: [64, 20], [false, true])
  func bfloat16Endings(channels: Int, addsBFloat16: Bool) throws {
    let square = Case(dimensions: [9, 13], channels: (channels, channels))
    #expect(!Self.postOperations.isEmpty)
    for postOperations in Self.postOperations {
      let (graph, input) = try Self.graph(
        square, postOperations, summand: addsBFloat16 ? .init(.bfloat16, input: 1) : nil,
        quantization: .init(.bfloat16))
      let (actual, kernels) = try run(graph, input)
      let difference = TensorDifference(actual: actual, expected: try reference(graph, input))
      #expect(difference.isWithin(Tolerance(absolute: 2e-5, relative: 1e-5)), "\(difference)")
      #expect(kernels.count == 1 && kernels[0].contains("bfloat16"), "\(kernels)")
    }
  }

  /// Blocks of a residual network behind a pooling, some with integers, others with bfloat16.
  @Test(
    "Layers pass bfloat16 to each other, also between int8 layers", arguments: [16, 20, 48],
    [false, true])
  func bfloat16Chain(channels: Int, hasIntegers: Bool) throws {
    var builder = GraphBuilder()
    let shape = [2, 10, 14, channels]
    let input = try builder.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
    var value = input
    let window = Window(size: [1, 1], strides: [1, 1], dilation: [1, 1], padding: .same)
    for number in 0..<4 {
      let kernel = try builder.addWeight(
        "k\(number)",
        .random(
          .float32, shape: [channels, channels, 1, 1], in: -0.3...0.3, seed: UInt64(number)))
      let isInteger = hasIntegers && number % 2 == 1
      let quantization: InputQuantization? =
        isInteger
        ? .integers(scale: 0.02, zeroPoint: 100, method: .maximum) : .init(.bfloat16)
      let convolved = try builder.addNode(
        Convolution(window: window, groups: 1, hasBias: false, layout: .channelsLast),
        named: "conv\(number)", inputs: [value, kernel], source: Self.source,
        quantization: quantization)
      let sum = try builder.addNode(
        Add(), named: "add\(number)", inputs: [convolved[0], value], source: Self.source,
        quantization: .init(.bfloat16, input: 1))
      value = try builder.addNode(
        ReLU(slope: 0, threshold: 0, maximum: nil), named: "relu\(number)",
        inputs: sum, source: Self.source)[0]
      if number == 1 {
        let pooling = Window(size: [2, 2], strides: [2, 2], dilation: [1, 1], padding: .same)
        value = try builder.addNode(
          MaxPooling(window: pooling, layout: .channelsLast), named: "pool", inputs: [value],
          source: Self.source)[0]
      }
    }
    let graph = try builder.finish(outputs: [Port(name: "y", value: value)])
    let numbers = Tensor.random(.float32, shape: shape, in: -1...1, seed: 3)
    let (actual, kernels) = try run(graph, numbers)
    #expect(kernels.contains { $0.contains("bfloat16 convolution") })
    #expect(kernels.contains { $0.contains("int8 convolution") } == hasIntegers)
    #expect(
      try run(graph, numbers, threads: 1).output.contiguousBytes() == actual.contiguousBytes())
    let difference = TensorDifference(actual: actual, expected: try reference(graph, numbers))
    #expect(difference.relativeL2 < 5e-3, "\(difference)")
  }

  @Test("In bfloat16, NaN and infinities reach the same outputs as in the reference")
  func bfloat16Extremes() throws {
    let testCase = Case(dimensions: [4, 4], channels: (3, 20))
    let (graph, input) = try Self.graph(testCase, quantization: .init(.bfloat16))
    for number in [Float.nan, .infinity] {
      var numbers = input.floats
      numbers[16] = number
      let poisoned = Tensor(.float32, shape: input.shape, floats: numbers)
      let (actual, expected) = (
        try run(graph, poisoned).output.floats, try reference(graph, poisoned).floats
      )
      #expect(zip(actual, expected).allSatisfy { $0.isFinite == $1.isFinite })
      #expect(!actual.allSatisfy(\.isFinite) && actual.contains(where: \.isFinite))
    }
  }
}
