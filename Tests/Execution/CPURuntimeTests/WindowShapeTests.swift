import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Verifier
import _CatalogTesting

/// Layers with windows, for random shapes.
@Suite struct WindowShapeTests {
  enum Kind: CaseIterable {
    case convolution, depthwiseConvolution, int8Convolution, transposedConvolution
    case maxPooling, averagePooling
  }

  /// Random numbers of which the lower ones are likelier, because axes of 1, steps of 1 and no
  /// padding are special.
  private struct Numbers {
    var generator: SplitMix64

    mutating func callAsFunction(_ range: ClosedRange<Int>) -> Int {
      min(.random(in: range, using: &generator), .random(in: range, using: &generator))
    }

    mutating func pair(_ range: ClosedRange<Int>) -> [Int] { [self(range), self(range)] }
  }

  /// A layer with random settings.
  private struct Layer {
    let operation: any Operator
    let inputShape: [Int]
    var weightShapes: [[Int]] = []
    var quantization: InputQuantization?

    init(_ kind: Kind, _ random: inout Numbers) {
      let channels = (from: random(1...40), to: random(1...70))
      let size = random.pair(1...4)
      // A window of nothing but padding has no maximum and no mean.
      let padding = size.map { [.maxPooling, .averagePooling].contains(kind) ? min(2, $0 - 1) : 2 }
      let window = Window(
        size: size, strides: random.pair(1...3), dilation: random.pair(1...2),
        padding: .explicit(
          before: padding.map { random(0...$0) }, after: padding.map { random(0...$0) }))
      let layout = Bool.random(using: &random.generator) ? DataLayout.channelsLast : .channelsFirst
      let (images, sizes) = (random(1...2), [random(1...9), random(1...19)])
      inputShape =
        layout == .channelsLast
        ? [images] + sizes + [channels.from] : [images, channels.from] + sizes
      switch kind {
      case .convolution:
        operation = Convolution(window: window, groups: 1, hasBias: true, layout: layout)
        weightShapes = [[channels.to, channels.from] + window.size, [channels.to]]
      case .depthwiseConvolution:
        operation = Convolution(
          window: window, groups: channels.from, hasBias: true, layout: layout)
        weightShapes = [[channels.from, 1] + window.size, [channels.from]]
      case .transposedConvolution:
        operation = TransposedConvolution(
          window: window, outputPadding: random.pair(0...1), groups: 1, hasBias: true,
          layout: layout)
        weightShapes = [[channels.from, channels.to] + window.size, [channels.to]]
      case .maxPooling: operation = MaxPooling(window: window, layout: layout)
      case .averagePooling:
        operation = AveragePooling(
          window: window, countIncludePad: Bool.random(using: &random.generator), layout: layout)
      case .int8Convolution:
        operation = Convolution(window: window, groups: 1, hasBias: true, layout: layout)
        weightShapes = [[channels.to, channels.from] + window.size, [channels.to]]
        quantization = .integers(
          scale: 1.9 / 255, zeroPoint: UInt8(random(0...255)), method: .maximum)
      }
    }

    /// A graph of the layer alone; throws if the window does not fit.
    func graph() throws -> Graph {
      var builder = GraphBuilder()
      var inputs = [try builder.addInput("x", TensorType(.float32, inputShape))]
      for (number, shape) in weightShapes.enumerated() {
        let weight = Tensor.random(.float32, shape: shape, in: -0.1...0.1, seed: UInt64(number))
        inputs.append(try builder.addWeight("w\(number)", weight))
      }
      let output = try builder.addNode(
        operation, named: "layer", inputs: inputs,
        source: SourceScope(layer: "layer", className: "Layer"), quantization: quantization)
      return try builder.finish(outputs: [Port(name: "y", value: output[0])])
    }
  }

  @Test(
    "Layers with windows of random shapes agree with the reference",
    arguments: Kind.allCases)
  func agreement(_ kind: Kind) throws {
    var random = Numbers(generator: SplitMix64(seed: 1))
    var (count, attempts) = (0, 0)
    while count < 1000 {
      attempts += 1
      try #require(attempts < 5000, "\(count) layers fit")
      let layer = Layer(kind, &random)
      let graph: Graph
      do {
        graph = try layer.graph()
      } catch let error as WeighbridgeError {
        try #require(error.code == .malformed, "\(error)")
        continue
      }
      count += 1
      let input = Tensor.random(.float32, shape: layer.inputShape, in: -1...1, seed: 3)
      let expected = try ReferenceRuntime(workers: Workers(count: 1))
        .run(graph, inputs: [input]) { _ in }[0]
      var kernels: [KernelKind] = []
      let actual = try CPURuntime(CPURuntime.Options(workers: Workers(count: 1)))
        .run(graph, inputs: [input]) { kernels.append($0.kernel) }[0]
      let comment: Comment = "\(layer.operation) of \(layer.inputShape) by \(kernels)"
      if kind == .int8Convolution {
        #expect(actual.contiguousBytes() == expected.contiguousBytes(), comment)
      } else {
        let difference = TensorDifference(actual: actual, expected: expected)
        #expect(difference.isWithin(Tolerance(absolute: 2e-5, relative: 1e-5)), comment)
      }
      #expect(!kernels.contains(.reference), comment)
    }
  }
}
