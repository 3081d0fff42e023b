import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import Testing
import _CatalogTesting

/// Functions and sums that are part of a layer with weights, on sums that are special numbers.
@Suite struct SpecialNumberEndingTests {
  /// A layer that copies its only channel to 20, or each of its 20 channels.
  enum Layer: CaseIterable {
    case convolution, grouped, depthwise, transposed, dense, bfloat16, integers
  }

  private static let shape = [2, 3, 5]
  private static let channels = 20
  private let source = SourceScope(layer: "layer", className: "Layer")

  private func add(_ layer: Layer, to builder: inout GraphBuilder) throws -> (ValueID, Int) {
    let isSingle = layer != .depthwise && layer != .grouped
    let inputs = isSingle ? 1 : Self.channels
    let value = try builder.addQuotient(
      "x", TensorType(.float32, (Self.shape + [inputs]).map { .fixed($0) }))
    let window = Window(size: [1, 1], strides: [1, 1], dilation: [1, 1], padding: .valid)
    var shape = [Self.channels, 1, 1, 1]
    var (operation, quantization) = ((any Operator)?.none, InputQuantization?.none)
    switch layer {
    case .dense: (operation, shape) = (Dense(hasBias: false), [Self.channels, 1])
    case .transposed:
      shape = [1, Self.channels, 1, 1]
      operation = TransposedConvolution(
        window: Window(
          size: [1, 1], strides: [1, 1], dilation: [1, 1],
          padding: .explicit(before: [0, 0], after: [0, 0])),
        outputPadding: [0, 0], groups: 1, hasBias: false, layout: .channelsLast)
    case .bfloat16: quantization = .init(.bfloat16)
    case .integers: quantization = .integers(scale: 0.05, zeroPoint: 120, method: .maximum)
    default: break
    }
    // A channel of its own for each group, or pairs of which the second one has no weight.
    var ones = [Double](repeating: 1, count: shape.reduce(1, *))
    if layer == .grouped {
      shape = [Self.channels, 2, 1, 1]
      ones = (0..<2 * Self.channels).map { $0 / 2 % 2 == $0 % 2 ? 1 : 0.5 }
    }
    let groups = layer == .depthwise ? Self.channels : layer == .grouped ? Self.channels / 2 : 1
    let convolution = Convolution(
      window: window, groups: groups, hasBias: false, layout: .channelsLast)
    let kernel = try builder.addWeight("k", Tensor(.float32, shape: shape, ones))
    let sums = try builder.addNode(
      operation ?? convolution, named: "sums", inputs: [value, kernel], source: source,
      quantization: quantization)
    return (sums[0], inputs)
  }

  @Test(
    "An ending makes of special sums what the function itself makes of them",
    arguments: Layer.allCases, SpecialNumbersTests.functionOperators.indices)
  func endings(_ layer: Layer, _ function: Int) throws {
    let operation = SpecialNumbersTests.functionOperators[function]
    for addsFirst in [nil, true, false] {
      var builder = GraphBuilder()
      var (value, inputs) = try add(layer, to: &builder)
      let summand = try builder.addInput(
        "summand", TensorType(.float32, (Self.shape + [Self.channels]).map { .fixed($0) }))
      func addSum() throws {
        value = try builder.addNode(
          Add(), named: "sum", inputs: [value, summand], source: source)[0]
      }
      if addsFirst == true { try addSum() }
      value = try builder.addNode(operation, named: "y", inputs: [value], source: source)[0]
      if addsFirst == false { try addSum() }
      let graph = try builder.finish(outputs: [Port(name: "y", value: value)])
      let count = Self.shape.reduce(inputs, *)
      // Dot products of bfloat16 flush subnormal numbers to 0.
      let special = SpecialNumbers.ofFunctions.filter {
        layer != .bfloat16 || $0 == 0 || !(abs($0) < Double(Float.leastNormalMagnitude))
      }
      let numbers = (0..<count).map { special[$0 * 7 % special.count] }
      let engine = try CompiledGraph(graph, CPURuntime.Options(workers: Workers(count: 2)))
      let x = Tensor(.float32, shape: Self.shape + [inputs], numbers)
      let others = Tensor.random(
        .float32, shape: Self.shape + [Self.channels], in: -1...1, seed: 1)
      let comment = "\(operation) of \(layer), \(addsFirst.map { "\($0)" } ?? "no sum")"
      try SpecialNumbers.expectAgreement(graph, engine, x.asQuotient + [others], comment) {
        SpecialNumbers.areClose($0, $1, Tolerance(absolute: 2e-6, relative: 2e-5))
      }
    }
  }
}
