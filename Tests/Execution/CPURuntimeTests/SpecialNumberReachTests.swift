import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import Testing
import Verifier
import _CatalogTesting

/// Which outputs special numbers reach, through layers that compute several of them at once, in
/// blocks of channels with padding.
@Suite struct SpecialNumberReachTests {
  /// A layer of a chain: a convolution with a window of this side, or another operator.
  enum Layer: Sendable {
    case convolution(Int, to: Int, groups: Int = 1, strides: Int = 1, InputQuantization? = nil)
    case transposed(Int, to: Int, groups: Int = 1)
    case other(any Operator)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var images = 2
    var dimensions = [14, 15]
    let channels: Int
    let layers: [Layer]
    var numbers: [Double] = [.nan, .infinity, -.infinity, 1e30, -3e37]

    var testDescription: String { "\(dimensions), \(channels), \(layers)" }
  }

  /// An infinity becomes a number again; so do those that the padding of blocks may contain.
  private static let clip = Layer.other(ReLU(slope: 0, threshold: 0, maximum: 6))
  private static let relu = Layer.other(ReLU(slope: 0, threshold: 0, maximum: nil))
  private static let padding = Layer.other(
    ZeroPadding(borders: Borders(before: [1, 1], after: [1, 1]), layout: .channelsLast))

  private static func pooling(_ side: Int, strides: Int = 1) -> Layer {
    .other(
      MaxPooling(
        window: Window(
          size: [side, side], strides: [strides, strides], dilation: [1, 1], padding: .valid),
        layout: .channelsLast))
  }

  static let cases: [Case] =
    [
      // Winograd's algorithm, with weights that are transformed once or at each use.
      Case(channels: 36, layers: [.convolution(3, to: 40)]),
      Case(channels: 36, layers: [.convolution(3, to: 50), clip, .convolution(3, to: 33)]),
      Case(
        images: 1, dimensions: [12, 12], channels: 530, layers: [.convolution(3, to: 508)],
        numbers: [.infinity]),
      // Columns of a window that few outputs share.
      Case(channels: 36, layers: [.convolution(7, to: 3), clip, .convolution(3, to: 2)]),
      // Groups that cross blocks of channels, and some that do not.
      Case(channels: 24, layers: [.convolution(3, to: 48, groups: 12), clip]),
      Case(channels: 30, layers: [.convolution(1, to: 20, groups: 10), .convolution(1, to: 7)]),
      Case(channels: 64, layers: [.convolution(3, to: 96, groups: 2)]),
      Case(channels: 36, layers: [.convolution(2, to: 72, groups: 9, strides: 2)]),
      Case(channels: 24, layers: [.transposed(3, to: 36, groups: 6)]),
      Case(channels: 19, layers: [.transposed(2, to: 21), clip, .convolution(1, to: 18)]),
      // A depthwise convolution, alone and fused with the one before.
      Case(channels: 20, layers: [.convolution(3, to: 20, groups: 20), .convolution(1, to: 5)]),
      Case(
        dimensions: [70, 75], channels: 20,
        layers: [.convolution(1, to: 60, groups: 10), clip, .convolution(3, to: 60, groups: 60)]),
      // Zeros around a maximum.
      Case(
        channels: 20, layers: [.convolution(1, to: 20, groups: 20), relu, padding, pooling(3)]),
      Case(channels: 3, layers: [relu, padding, pooling(2, strides: 2)]),
    ]
    + [1, 2, 3, 5, 14, 15, 17, 31, 47].flatMap { channels in
      [1, 3].map { side in
        Case(
          dimensions: [9, 7], channels: 18,
          layers: [
            .convolution(side, to: channels), clip, .convolution(1, to: channels + 2),
            .convolution(side, to: 20, strides: 2),
          ])
      }
    }

  private let source = SourceScope(layer: "layer", className: "Layer")

  private func graph(_ testCase: Case) throws -> (Graph, [Int]) {
    let shape = [testCase.images] + testCase.dimensions + [testCase.channels]
    var builder = GraphBuilder()
    var value = try builder.addQuotient("x", TensorType(.float32, shape.map { .fixed($0) }))
    var channels = testCase.channels
    for (number, layer) in testCase.layers.enumerated() {
      func kernel(_ shape: [Int]) throws -> ValueID {
        try builder.addWeight(
          "k\(number)", .random(.float32, shape: shape, in: -0.3...0.3, seed: UInt64(number + 1)))
      }
      var (inputs, quantization) = ([value], InputQuantization?.none)
      let operation: any Operator
      switch layer {
      case .other(let other): operation = other
      case .convolution(let side, let to, let groups, let strides, let given):
        quantization = given
        operation = Convolution(
          window: Window(
            size: [side, side], strides: [strides, strides], dilation: [1, 1], padding: .same),
          groups: groups, hasBias: false, layout: .channelsLast)
        inputs.append(try kernel([to, channels / groups, side, side]))
        channels = to
      case .transposed(let side, let to, let groups):
        operation = TransposedConvolution(
          window: Window(
            size: [side, side], strides: [2, 2], dilation: [1, 1],
            padding: .explicit(before: [0, 0], after: [0, 0])),
          outputPadding: [0, 0], groups: groups, hasBias: false, layout: .channelsLast)
        inputs.append(try kernel([channels, to / groups, side, side]))
        channels = to
      }
      value = try builder.addNode(
        operation, named: "y\(number)", inputs: inputs, source: source,
        quantization: quantization)[0]
    }
    return (try builder.finish(outputs: [Port(name: "y", value: value)]), shape)
  }

  @Test(
    "A special number reaches the outputs that it reaches in the reference, and no other changes",
    arguments: cases)
  func reach(_ testCase: Case) throws {
    let (graph, shape) = try graph(testCase)
    let engine = try CompiledGraph(graph, CPURuntime.Options(workers: Workers(count: 2)))
    let ordinary = Tensor.random(.float32, shape: shape, in: -1...1, seed: 99)
    for (seed, number) in testCase.numbers.enumerated() {
      let index = (seed + 1) * 2_654_435_761 % ordinary.count
      let inputs = ordinary.setting(index, to: number).asQuotient
      try SpecialNumbers.expectAgreement(graph, engine, inputs, "\(number) at \(index)") {
        SpecialNumbers.areClose($0, $1, Tolerance(absolute: 2e-5, relative: 1e-4))
      }
    }
    guard testCase.numbers.count > 1 else { return }
    // Windows with nothing else.
    let all = Tensor(.float32, shape: shape, ordinary.doubles.map { _ in .nan }).asQuotient
    try SpecialNumbers.expectAgreement(graph, engine, all, "all NaN") { _, _ in true }
  }

  @Test("In layers of bfloat16 and of integers too", arguments: [16, 20, 48], [true, false])
  func reachReduced(_ channels: Int, _ isBFloat16: Bool) throws {
    let quantization: InputQuantization? =
      isBFloat16 ? .init(.bfloat16) : .integers(scale: 0.02, zeroPoint: 100, method: .maximum)
    let layers: [Layer] = [
      .convolution(1, to: channels, quantization), Self.relu, Self.padding,
      Self.pooling(3, strides: 2), .convolution(3, to: channels + 3, quantization), Self.clip,
      .convolution(1, to: 7, quantization),
    ]
    let (graph, shape) = try graph(Case(dimensions: [9, 8], channels: 12, layers: layers))
    let engine = try CompiledGraph(graph, CPURuntime.Options(workers: Workers(count: 2)))
    let ordinary = Tensor.random(.float32, shape: shape, in: -1...1, seed: 99)
    for (seed, number) in [Double.nan, .infinity, -.infinity].enumerated() {
      let inputs = ordinary.setting((seed * 5 + 1) * 97, to: number).asQuotient
      try SpecialNumbers.expectAgreement(graph, engine, inputs, "\(number)") {
        TensorDifference(actual: $0, expected: $1).relativeL2 < 2e-2
      }
    }
    let all = Tensor(.float32, shape: shape, ordinary.doubles.map { _ in .nan }).asQuotient
    try SpecialNumbers.expectAgreement(graph, engine, all, "all NaN") { _, _ in true }
  }
}
