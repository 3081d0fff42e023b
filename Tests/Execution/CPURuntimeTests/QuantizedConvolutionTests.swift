import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Verifier
import _CatalogTesting

/// Layers that are computed with 8-bit integers or bfloat16.
@Suite struct QuantizedConvolutionTests {
  /// The input and the parameters of a convolution.
  struct Case: Sendable, CustomTestStringConvertible {
    var images = 1
    var dimensions = [9, 13]
    var channels = (from: 32, to: 64)
    var window = [3, 3]
    var dilation = [1, 1]
    var strides = [1, 1]
    var padding = WindowPadding.same
    var layout = DataLayout.channelsLast
    var zeroPoint: UInt8 = 120
    var groups = 1
    var isTransposed = false

    var testDescription: String {
      "\(images) of \(dimensions), \(channels), \(window) by \(dilation), \(strides), \(padding), "
        + "\(layout), \(zeroPoint), \(groups), \(isTransposed)"
    }
  }

  static let source = SourceScope(layer: "layer", className: "Layer")

  static let cases: [Case] =
    (1...30).map { Case(dimensions: [3, $0], channels: (12, 40)) } + [
      Case(images: 3, dimensions: [7, 7], channels: (16, 96), zeroPoint: 0),
      Case(dimensions: [13, 13], channels: (256, 64), zeroPoint: 255),
      Case(dimensions: [12, 17], window: [2, 4]),
      Case(dimensions: [12, 17], window: [1, 5], padding: .valid),
      Case(dimensions: [11, 16], dilation: [2, 3]),
      Case(dimensions: [11, 16], dilation: [3, 2], padding: .valid),
      Case(
        dimensions: [5, 6], window: [5, 3], padding: .explicit(before: [4, 0], after: [0, 3])),
      Case(images: 3, dimensions: [10, 8], channels: (5, 7), layout: .channelsFirst),
      Case(dimensions: [1, 1], channels: (3, 1)),
      Case(dimensions: [23, 31], channels: (3, 16)),
      Case(dimensions: [23, 31], channels: (3, 40), window: [7, 7], strides: [2, 2]),
      Case(dimensions: [14, 9], channels: (1, 1), window: [5, 5], layout: .channelsFirst),
      Case(dimensions: [14, 9], channels: (20, 37)),
      Case(dimensions: [14, 9], channels: (48, 125), window: [1, 1]),
      Case(dimensions: [15, 28], channels: (64, 33), window: [1, 1], strides: [2, 2]),
      Case(dimensions: [15, 28], channels: (17, 20), strides: [2, 3]),
      Case(dimensions: [5, 1], channels: (48, 40), window: [1, 1], strides: [1, 2]),
      Case(images: 2, dimensions: [40, 40], channels: (64, 64)),
    ] + groupedCases + transposedCases + volumes

  /// Depthwise with and without whole blocks of 16 channels, and groups that fill blocks or lie
  /// within them. Of depthwise ones, rows that are computed in several parts, windows of more than
  /// four rows, rows of outputs that share rows of the input or not, and a window that is too large for
  /// that.
  static let groupedCases = [
    Case(channels: (64, 64), groups: 64),
    Case(channels: (40, 40), strides: [2, 2], groups: 40),
    Case(
      images: 2, channels: (17, 17), window: [5, 3], dilation: [2, 1], zeroPoint: 0, groups: 17),
    Case(channels: (7, 7), layout: .channelsFirst, groups: 7), Case(channels: (8, 24), groups: 8),
    Case(dimensions: [20, 30], channels: (32, 32), padding: .valid, zeroPoint: 255, groups: 8),
    Case(channels: (30, 20), groups: 5), Case(channels: (24, 96), strides: [2, 1], groups: 3),
    Case(channels: (64, 128), window: [1, 1], groups: 2), Case(channels: (6, 40), groups: 2),
    Case(dimensions: [6, 301], channels: (16, 16), groups: 16),
    Case(dimensions: [17, 16], channels: (48, 48), window: [7, 7], groups: 48),
    Case(
      dimensions: [21, 30], channels: (33, 33), window: [5, 4], dilation: [3, 2], strides: [3, 2],
      zeroPoint: 200, groups: 33),
    Case(
      dimensions: [8, 11], channels: (32, 32), window: [2, 5], dilation: [2, 1],
      padding: .explicit(before: [9, 0], after: [3, 14]), groups: 32),
    Case(dimensions: [10, 9], channels: (20, 20), window: [1, 1], padding: .valid, groups: 20),
    Case(dimensions: [33, 35], channels: (16, 16), window: [31, 31], groups: 16),
  ]

  static let transposedCases = [
    Case(channels: (24, 40), strides: [2, 2], isTransposed: true),
    Case(
      images: 2, dimensions: [5, 7], channels: (12, 9), window: [4, 2], strides: [3, 1],
      padding: .explicit(before: [1, 0], after: [0, 1]), zeroPoint: 3, isTransposed: true),
    Case(
      channels: (3, 16), window: [2, 3], dilation: [2, 2], strides: [1, 3], layout: .channelsFirst,
      isTransposed: true),
    Case(channels: (18, 12), window: [2, 2], strides: [2, 2], groups: 3, isTransposed: true),
    Case(channels: (32, 32), strides: [2, 2], groups: 32, isTransposed: true),
    Case(
      dimensions: [5, 7], channels: (24, 24), window: [7, 4], dilation: [1, 2], strides: [2, 3],
      groups: 24, isTransposed: true),
  ]

  /// Three spatial axes.
  static let volumes = [
    Case(
      dimensions: [4, 5, 6], channels: (5, 20), window: [3, 2, 3], dilation: [1, 1, 1],
      strides: [1, 2, 1]),
    Case(
      images: 2, dimensions: [3, 4, 4], channels: (16, 16), window: [2, 2, 2], dilation: [1, 1, 1],
      strides: [1, 1, 1], groups: 16),
    Case(
      dimensions: [5, 6, 7], channels: (18, 18), window: [3, 3, 2], dilation: [2, 1, 1],
      strides: [1, 2, 1], groups: 18),
    Case(
      dimensions: [2, 3, 3], channels: (8, 6), window: [2, 2, 3], dilation: [1, 1, 1],
      strides: [2, 2, 2], layout: .channelsFirst, groups: 2, isTransposed: true),
  ]

  /// A convolution followed by post-operations.
  ///
  /// - Parameters:
  ///   - summand: How a sum reads the convolution's input; `nil` as floats.
  ///   - quantization: Of the convolution; integers that cannot stand for some of the numbers when
  ///     `nil`.
  static func graph(
    _ testCase: Case, _ postOperations: [any Operator] = [], summand: InputQuantization? = nil,
    quantization: InputQuantization? = nil
  ) throws -> (Graph, Tensor) {
    let shape =
      testCase.layout == .channelsLast
      ? [testCase.images] + testCase.dimensions + [testCase.channels.from]
      : [testCase.images, testCase.channels.from] + testCase.dimensions
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
    let kernel = try builder.addWeight(
      "k",
      .random(
        .float32, shape: testCase.kernelShape, in: -0.1...0.1, seed: 1))
    let bias = try builder.addWeight(
      "b", .random(.float32, shape: [testCase.channels.to], in: -1...1, seed: 2))
    let quantization =
      quantization
      ?? .integers(scale: 1.9 / 255, zeroPoint: testCase.zeroPoint, method: .maximum)
    var value = try builder.addNode(
      testCase.operation, named: "conv", inputs: [input, kernel, bias], source: source,
      quantization: quantization)
    for (number, operation) in postOperations.enumerated() {
      value = try builder.addNode(
        operation, named: "end \(number)", inputs: value + (operation is Add ? [input] : []),
        source: source, quantization: operation is Add ? summand : nil)
    }
    let graph = try builder.finish(outputs: [Port(name: "y", value: value[0])])
    return (graph, .random(.float32, shape: shape, in: -1...1, seed: 3))
  }

  func run(
    _ graph: Graph, _ input: Tensor, threads: Int = 2, observes: Bool = false
  ) throws -> (output: Tensor, kernels: [String]) {
    var kernels: [String] = []
    let options = CPURuntime.Options(workers: Workers(count: threads), observesIntegers: observes)
    let actual = try CPURuntime(options).run(graph, inputs: [input]) {
      kernels.append("\($0.kernel)")
    }
    return (actual[0], kernels)
  }

  func reference(_ graph: Graph, _ input: Tensor) throws -> Tensor {
    try ReferenceRuntime(workers: Workers(count: 2)).run(graph, inputs: [input]) { _ in }[0]
  }

  @Test("An int8 convolution equals the reference bit for bit", arguments: cases)
  func agreement(_ testCase: Case) throws {
    let (graph, input) = try Self.graph(testCase)
    let expected = try reference(graph, input).contiguousBytes()
    for threads in [1, 2] {
      let (actual, kernels) = try run(graph, input, threads: threads)
      #expect(actual.contiguousBytes() == expected)
      #expect(!kernels.isEmpty && kernels.allSatisfy { $0.contains("int8") }, "\(kernels)")
    }
  }

  @Test("An int8 convolution equals the formula in wbm.md")
  func formula() throws {
    let testCase = Case(dimensions: [1, 1], channels: (6, 2), window: [1, 1], zeroPoint: 100)
    let (graph, input) = try Self.graph(testCase)
    let (numbers, weights) = (input.floats, graph.weights[0].tensor.floats)
    let scale: Float = 1.9 / 255
    let integers = numbers.map { number in
      max(0, min(255, Int((number * (1 / scale)).rounded(.toNearestOrEven)) + 100))
    }
    let actual = try run(graph, input).output.floats
    for channel in 0..<2 {
      let row = weights[channel * 6..<channel * 6 + 6]
      let weightScale = row.map { abs($0) }.max()! / 127
      let sum = zip(row, integers).reduce(0) { sum, pair in
        sum + Int((pair.0 / weightScale).rounded(.toNearestOrEven)) * (pair.1 - 100)
      }
      let product = Float(sum) * (weightScale * scale)
      #expect(actual[channel] == product + graph.weights[1].tensor.floats[channel])
    }
  }

  /// The post-operations of kernels.
  static let postOperations: [[any Operator]] = {
    let relu = ReLU(slope: 0, threshold: 0, maximum: nil)
    return [
      [relu], [ReLU(slope: 0, threshold: 0, maximum: 6)], [LeakyReLU(slope: 0.1)],
      [ELU(alpha: 0.5)], [Add(), relu], [relu, Add()], [Sigmoid()],
    ]
  }()

  @Test(
    "Fused operations are applied to complete sums", arguments: [nil, 120, 90] as [UInt8?],
    [64, 20])
  func postOperations(zeroPointOfSum: UInt8?, channels: Int) throws {
    let square = Case(dimensions: [9, 13], channels: (channels, channels))
    let summand = zeroPointOfSum.flatMap { zeroPoint in
      var quantization = InputQuantization.integers(
        scale: zeroPoint == 120 ? 1.9 / 255 : 0.01, zeroPoint: zeroPoint, method: .maximum)
      quantization?.input = 1
      return quantization
    }
    #expect(!Self.postOperations.isEmpty)
    for postOperations in Self.postOperations {
      let (graph, input) = try Self.graph(square, postOperations, summand: summand)
      let (actual, kernels) = try run(graph, input)
      let difference = TensorDifference(actual: actual, expected: try reference(graph, input))
      #expect(difference.isWithin(Tolerance(absolute: 2e-5, relative: 1e-5)), "\(difference)")
      #expect(kernels.count == 1 && kernels[0].contains("int8"), "\(kernels)")
    }
  }

  /// A chain like a detector's: a convolution, its function and pooling, twice; then a dense layer.
  private static func chain(_ layout: DataLayout, channels: Int) throws -> (Graph, Tensor) {
    var builder = GraphBuilder()
    let shape = layout == .channelsLast ? [2, 18, 20, 3] : [2, 3, 18, 20]
    let input = try builder.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
    var value = input
    var from = 3
    func add(_ operation: any Operator, _ inputs: [ValueID], _ scale: Float? = nil) throws {
      let quantization = scale.flatMap {
        InputQuantization.integers(scale: $0, zeroPoint: 30, method: .entropy)
      }
      value = try builder.addNode(
        operation, named: "node", inputs: inputs, source: source, quantization: quantization)[0]
    }
    let pooling = Window(size: [2, 2], strides: [2, 2], dilation: [1, 1], padding: .same)
    for (number, to) in [channels, 2 * channels].enumerated() {
      let kernel = try builder.addWeight(
        "k\(number)",
        .random(.float32, shape: [to, from, 3, 3], in: -0.3...0.3, seed: UInt64(number)))
      let window = Window(size: [3, 3], strides: [1, 1], dilation: [1, 1], padding: .same)
      let convolution = Convolution(window: window, groups: 1, hasBias: false, layout: layout)
      try add(convolution, [value, kernel], 0.01 * Float(number + 1))
      try add(LeakyReLU(slope: 0.1), [value])
      try add(MaxPooling(window: pooling, layout: layout), [value])
      from = to
    }
    try add(GlobalMaxPooling(keepDims: false, layout: layout), [value])
    let kernel = try builder.addWeight(
      "d", .random(.float32, shape: [10, from], in: -0.3...0.3, seed: 9))
    try add(Dense(hasBias: false), [value, kernel], 0.02)
    let graph = try builder.finish(outputs: [Port(name: "y", value: value)])
    return (graph, .random(.float32, shape: shape, in: -0.3...2, seed: 3))
  }

  @Test(
    "Layers pass integers to each other, with the same results as if they passed floats",
    arguments: [DataLayout.channelsLast, .channelsFirst], [5, 16, 24])
  func chain(_ layout: DataLayout, channels: Int) throws {
    let (graph, input) = try Self.chain(layout, channels: channels)
    let (actual, kernels) = try run(graph, input)
    #expect(kernels.contains { $0.contains("int8 pooling") }, "\(kernels)")
    let (observed, plain) = try run(graph, input, observes: true)
    #expect(actual.contiguousBytes() == observed.contiguousBytes())
    #expect(!plain.contains { $0.contains("int8 pooling") }, "\(plain)")
    // The reference rounds other numbers to integers where a sum lies between two.
    let difference = TensorDifference(actual: actual, expected: try reference(graph, input))
    #expect(difference.relativeL2 < 1e-3, "\(difference)")
  }

  private static let poolingWindows = [
    Window(size: [3, 3], strides: [2, 2], dilation: [1, 1], padding: .same),
    Window(size: [2, 2], strides: [1, 1], dilation: [1, 1], padding: .same),
    Window(size: [1, 4], strides: [3, 1], dilation: [1, 1], padding: .valid),
    Window(
      size: [2, 3], strides: [1, 2], dilation: [3, 2],
      padding: .explicit(before: [1, 3], after: [2, 1])),
    // Wider than what is pooled at once.
    Window(size: [2, 600], strides: [1, 31], dilation: [1, 1], padding: .same),
  ]

  @Test(
    "Max pooling of integers and of bfloat16 gives the same as max pooling of floats",
    arguments: poolingWindows, [5, 16, 32, 72])
  func poolings(_ pooling: Window, channels: Int) throws {
    let width = pooling.size[1] > 100 ? 650 : 37
    let window = Window(size: [1, 1], strides: [1, 1], dilation: [1, 1], padding: .same)
    let convolution = Convolution(
      window: window, groups: 1, hasBias: false, layout: .channelsLast)
    for quantization in [
      InputQuantization.integers(scale: 0.02, zeroPoint: 90, method: .maximum), .init(.bfloat16),
    ] {
      var builder = GraphBuilder()
      let shape = [2, 9, width, channels]
      var value = try builder.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
      for (number, isLast) in [false, true].enumerated() {
        let kernel = try builder.addWeight(
          "k\(number)",
          .random(
            .float32, shape: [channels, channels, 1, 1], in: -0.5...0.5, seed: UInt64(number)))
        value = try builder.addNode(
          convolution, named: "conv\(number)", inputs: [value, kernel], source: Self.source,
          quantization: quantization)[0]
        if isLast { break }
        value = try builder.addNode(
          MaxPooling(window: pooling, layout: .channelsLast), named: "pool", inputs: [value],
          source: Self.source)[0]
      }
      let graph = try builder.finish(outputs: [Port(name: "y", value: value)])
      let input = Tensor.random(.float32, shape: shape, in: -1...1, seed: 3)
      let (actual, kernels) = try run(graph, input)
      #expect(kernels.contains { $0.contains("int8 pooling") || $0.contains("bfloat16 pooling") })
      let (observed, plain) = try run(graph, input, observes: true)
      #expect(!plain.contains { $0.contains("int8 pooling") || $0.contains("bfloat16 pooling") })
      #expect(actual.contiguousBytes() == observed.contiguousBytes())
    }
  }

  @Test("A value read by int8 layers and by other nodes exists in both types")
  func residual() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [.fixed(1), 8, 8, 16]))
    var value = input
    let window = Window(size: [1, 1], strides: [1, 1], dilation: [1, 1], padding: .same)
    for number in 0..<4 {
      let kernel = try builder.addWeight(
        "k\(number)",
        .random(.float32, shape: [16, 16, 1, 1], in: -0.5...0.5, seed: UInt64(number)))
      let convolved = try builder.addNode(
        Convolution(window: window, groups: 1, hasBias: false, layout: .channelsLast),
        named: "conv\(number)", inputs: [value, kernel], source: Self.source,
        quantization: InputQuantization.integers(scale: 0.03, zeroPoint: 100, method: .maximum))
      value = try builder.addNode(
        Add(), named: "add\(number)", inputs: [convolved[0], value], source: Self.source)[0]
    }
    let graph = try builder.finish(outputs: [Port(name: "y", value: value)])
    let numbers = Tensor.random(.float32, shape: [1, 8, 8, 16], in: -1...1, seed: 3)
    let (actual, kernels) = try run(graph, numbers)
    #expect(kernels.count == 4 && kernels.allSatisfy { $0.contains("int8 convolution") })
    let difference = TensorDifference(actual: actual, expected: try reference(graph, numbers))
    #expect(difference.relativeL2 < 1e-3, "\(difference)")
  }

  /// Blocks of a residual network that are read as integers only, or as floats too.
  @Test(
    "A sum of quantized integers agrees with the sum of the numbers they represent",
    arguments: [0, 100] as [UInt8], [16, 20, 48])
  func sumsOfIntegers(zeroPoint: UInt8, channels: Int) throws {
    var builder = GraphBuilder()
    let shape = [2, 5, 7, channels]
    let input = try builder.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
    var (value, sums) = (input, [ValueID]())
    let window = Window(size: [1, 1], strides: [1, 1], dilation: [1, 1], padding: .same)
    for number in 0..<4 {
      let kernel = try builder.addWeight(
        "k\(number)",
        .random(
          .float32, shape: [channels, channels, 1, 1], in: -0.3...0.3, seed: UInt64(number)))
      var quantization = InputQuantization.integers(
        scale: 0.02 * Float(number + 1), zeroPoint: zeroPoint, method: .maximum)
      let convolved = try builder.addNode(
        Convolution(window: window, groups: 1, hasBias: false, layout: .channelsLast),
        named: "conv\(number)", inputs: [value, kernel], source: Self.source,
        quantization: quantization)
      quantization?.input = number % 2
      let inputs = number % 2 == 0 ? [value, convolved[0]] : [convolved[0], value]
      sums += try builder.addNode(
        Add(), named: "add\(number)", inputs: inputs, source: Self.source,
        quantization: quantization)
      value = try builder.addNode(
        ReLU(slope: 0, threshold: 0, maximum: nil), named: "relu\(number)",
        inputs: [sums[number]], source: Self.source)[0]
    }
    let whole = try builder.finish(outputs: [Port(name: "y", value: value)])
    let numbers = Tensor.random(.float32, shape: shape, in: -1...1, seed: 3)
    let (actual, kernels) = try run(whole, numbers)
    #expect(kernels.count == 4 && kernels.allSatisfy { $0.contains("int8 convolution") })
    #expect(
      try run(whole, numbers, threads: 1).output.contiguousBytes() == actual.contiguousBytes())
    let (observed, _) = try run(whole, numbers, observes: true)
    #expect(actual.contiguousBytes() == observed.contiguousBytes())
    let difference = TensorDifference(actual: actual, expected: try reference(whole, numbers))
    #expect(difference.relativeL2 < 2e-3, "\(difference)")
    // Sums that are outputs exist as floats, and are not computed together with what follows.
    let ports = sums.enumerated().map { Port(name: "sum\($0)", value: $1) }
    let withSumOutputs = whole.replacingOutputs([Port(name: "y", value: value)] + ports)
    #expect(try run(withSumOutputs, numbers).output.floats == actual.floats)
  }

  @Test(
    "An integer sum that no kernel fuses is a separate step",
    arguments: [
      ([Sigmoid()], []), ([LeakyReLU(slope: 0.1)], [Tanh(), Sigmoid()]),
      ([ReLU(slope: 0, threshold: 0, maximum: 6)], []), ([LeakyReLU(slope: 0.1)], [Tanh()]),
    ] as [([any Operator], [any Operator])])
  func otherSums(before: [any Operator], after: [any Operator]) throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 4, 5, 16]))
    let window = Window(size: [1, 1], strides: [1, 1], dilation: [1, 1], padding: .same)
    var quantization = InputQuantization.integers(scale: 0.02, zeroPoint: 60, method: .maximum)
    func add(
      _ operation: any Operator, _ inputs: [ValueID], _ quantization: InputQuantization? = nil
    ) throws -> ValueID {
      try builder.addNode(
        operation, named: "node", inputs: inputs, source: Self.source, quantization: quantization)[
          0]
    }
    var (value, shortcut) = (input, input)
    for number in 0..<3 {
      let kernel = try builder.addWeight(
        "k\(number)",
        .random(.float32, shape: [16, 16, 1, 1], in: -0.4...0.4, seed: UInt64(number)))
      quantization?.input = 0
      value = try add(
        Convolution(window: window, groups: 1, hasBias: false, layout: .channelsLast),
        [value, kernel], quantization)
      for function in before { value = try add(function, [value]) }
      quantization?.input = 1
      if number > 0 { value = try add(Add(), [value, shortcut], quantization) }
      for function in after { value = try add(function, [value]) }
      shortcut = value
    }
    let graph = try builder.finish(outputs: [Port(name: "y", value: value)])
    let numbers = Tensor.random(.float32, shape: [1, 4, 5, 16], in: -1...1, seed: 3)
    let (actual, _) = try run(graph, numbers)
    let (observed, _) = try run(graph, numbers, observes: true)
    #expect(actual.contiguousBytes() == observed.contiguousBytes())
    // Where a number lies between two integers, the engines may round to different ones, and the next
    // layers spread it.
    let difference = TensorDifference(actual: actual, expected: try reference(graph, numbers))
    #expect(difference.relativeL2 < 1e-2, "\(difference)")
  }

  @Test("NaN and -infinity quantize to 0, and infinity to 255")
  func extremes() throws {
    let testCase = Case(dimensions: [4, 4], channels: (3, 20))
    let (graph, input) = try Self.graph(testCase)
    var numbers = input.floats
    (numbers[0], numbers[7], numbers[20]) = (.nan, .infinity, -.infinity)
    let poisoned = Tensor(.float32, shape: input.shape, floats: numbers)
    let actual = try run(graph, poisoned).output
    let expected = try reference(graph, poisoned)
    #expect(actual.contiguousBytes() == expected.contiguousBytes())
    #expect(actual.floats.allSatisfy { $0.isFinite })
    let integers = IntegerQuantization(
      scale: 1.9 / 255, zeroPoint: testCase.zeroPoint, method: .maximum)
    #expect(numbers.prefix(1).map { integers?.quantized($0) } == [0])
    #expect(integers?.quantized(.infinity) == 255 && integers?.quantized(-.infinity) == 0)
  }
}

extension InputQuantization {
  static func integers(
    scale: Float, zeroPoint: UInt8, method: IntegerQuantization.Method
  ) -> InputQuantization? {
    IntegerQuantization(scale: scale, zeroPoint: zeroPoint, method: method).map {
      InputQuantization(.integers($0))
    }
  }
}

extension QuantizedConvolutionTests.Case {
  /// Whether two bfloat16 of a word of 4 bytes may belong to different groups, which no kernel
  /// takes; depthwise convolutions of 16 channels or more have one of their own.
  var mixesGroups: Bool {
    let isDepthwise = groups == channels.from && groups == channels.to
    return groups > 1 && channels.from / groups % 2 != 0 && !(isDepthwise && groups >= 16)
  }

  var kernelShape: [Int] {
    (isTransposed ? [channels.from, channels.to / groups] : [channels.to, channels.from / groups])
      + window
  }

  var operation: any Operator {
    let padding = isTransposed && padding == .same ? explicitly : padding
    let window = Window(size: window, strides: strides, dilation: dilation, padding: padding)
    return isTransposed
      ? TransposedConvolution(
        window: window, outputPadding: strides.map { $0 - 1 }, groups: groups, hasBias: true,
        layout: layout)
      : Convolution(window: window, groups: groups, hasBias: true, layout: layout)
  }

  /// No cropping, which a transposed convolution must state.
  private var explicitly: WindowPadding {
    .explicit(before: window.map { _ in 0 }, after: window.map { _ in 0 })
  }
}
