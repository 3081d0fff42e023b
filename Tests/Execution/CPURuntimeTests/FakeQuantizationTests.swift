import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import _CatalogTesting

/// Values that nodes round to integers and convert back, which the engine passes on as integers.
///
/// Scales are powers of 2 where results are compared bit for bit: all sums are then exact.
@Suite struct FakeQuantizationTests {
  static let source = SourceScope(layer: "layer", className: "Layer")

  /// Builds a graph of rounded values.
  struct Builder {
    var graph = GraphBuilder()
    var count = 0
    let type: ElementType

    mutating func add(_ operation: any Operator, _ inputs: [ValueID]) throws -> ValueID {
      count += 1
      return try graph.addNode(
        operation, named: "\(count)", inputs: inputs, source: FakeQuantizationTests.source)[0]
    }

    mutating func number(_ number: Double) throws -> ValueID {
      count += 1
      return try graph.addWeight("n\(count)", Tensor(.float32, shape: [1, 1, 1, 1], [number]))
    }

    /// Adds the nodes that `QuantizeLinear` becomes, up to the integers.
    mutating func quantized(_ value: ValueID, scale: Double, zero: Double = 0) throws -> ValueID {
      var value = try add(BinaryMath(.divide), [value, number(scale)])
      value = try add(UnaryMath(.round), [value])
      if zero != 0 { value = try add(Add(), [value, number(zero)]) }
      let lowest = type == .int8 ? -128.0 : 0
      value = try add(Clip(minimum: lowest, maximum: lowest + 255), [value])
      return try add(Cast(to: type, overflow: type == .int8 ? .wrap : nil), [value])
    }

    /// Adds the nodes that `DequantizeLinear` becomes.
    mutating func dequantized(_ value: ValueID, scale: Double, zero: Double = 0) throws -> ValueID {
      var value = try add(Cast(to: .float32), [value])
      if zero != 0 { value = try add(Subtract(), [value, number(zero)]) }
      return try add(Multiply(), [value, number(scale)])
    }

    mutating func rounded(_ value: ValueID, scale: Double, zero: Double = 0) throws -> ValueID {
      let integers = try quantized(value, scale: scale, zero: zero)
      return try dequantized(integers, scale: scale, zero: zero)
    }

    mutating func convolution(
      _ value: ValueID, _ channels: (from: Int, to: Int), groups: Int = 1, zero: Int32 = 0
    ) throws -> ValueID {
      count += 1
      let shape = [channels.to, channels.from / groups, 3, 3]
      let bytes = (0..<shape.reduce(1, *)).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
      let weight = QuantizedWeight(
        Tensor(.int8, shape: shape, bytes: bytes), bits: 8,
        .linear(.init(scales: [1 / 256], zeroPoints: [zero], axis: nil)))
      let kernel = try graph.addWeight("k\(count)", Tensor(#require(weight.encoded)))
      let bias = try graph.addWeight(
        "b\(count)",
        Tensor(.float32, shape: [channels.to], (0..<channels.to).map { Double($0 % 7 - 3) / 8 }))
      let window = Window(size: [3, 3], strides: [1, 1], dilation: [1, 1], padding: .same)
      return try add(
        Convolution(window: window, groups: groups, hasBias: true, layout: .channelsFirst),
        [value, kernel, bias])
    }
  }

  /// The output of both engines, and the kernels.
  func run(
    _ graph: Graph, _ input: Tensor, threads: Int = 2
  ) throws -> (expected: [Tensor], actual: [Tensor], kernels: [String]) {
    var kernels: [String] = []
    let options = CPURuntime.Options(workers: Workers(count: threads))
    let actual = try CPURuntime(options).run(graph, inputs: [input]) {
      kernels.append("\($0.kernel)")
    }
    let expected = try ReferenceRuntime(workers: Workers(count: 1)).run(graph, inputs: [input]) {
      _ in
    }
    return (expected, actual, kernels)
  }

  func input(_ shape: [Int], step: Double) -> Tensor {
    let count = shape.reduce(1, *)
    return Tensor(.float32, shape: shape, (0..<count).map { Double($0 * 29 % 301 - 150) * step })
  }

  @Test(
    "A network of rounded values is computed with integers, and equals the reference bit for bit",
    arguments: [ElementType.uint8, .int8], [3, 16, 20])
  func network(_ type: ElementType, _ channels: Int) throws {
    var make = Builder(type: type)
    let zero = type == .int8 ? -17.0 : 111
    let lowest = type == .int8 ? -128.0 : 0
    let shape = [2, 3, 9, 8]
    let x = try make.graph.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
    let first = try make.rounded(x, scale: 1 / 64, zero: zero)
    var sum = try make.convolution(first, (3, channels))
    sum = try make.add(ReLU(slope: 0, threshold: 0, maximum: nil), [sum])
    let rectified = try make.rounded(sum, scale: 1 / 16, zero: lowest)
    sum = try make.convolution(rectified, (channels, channels))
    let second = try make.rounded(sum, scale: 1 / 4, zero: zero)
    sum = try make.add(
      ReLU(slope: 0, threshold: 0, maximum: nil), [make.add(Add(), [second, rectified])])
    var value = try make.rounded(sum, scale: 1 / 2, zero: lowest)
    let window = Window(size: [2, 2], strides: [2, 2], dilation: [1, 1], padding: .valid)
    value = try make.add(MaxPooling(window: window, layout: .channelsFirst), [value])
    value = try make.rounded(value, scale: 1 / 2, zero: lowest)
    value = try make.rounded(make.add(LeakyReLU(slope: 0.25), [value]), scale: 1 / 4, zero: zero)
    value = try make.rounded(make.add(Multiply(), [value, value]), scale: 4, zero: zero)
    value = try make.rounded(make.convolution(value, (channels, 5)), scale: 8, zero: zero)
    let graph = try make.graph.finish(outputs: [
      Port(name: "y", value: value), Port(name: "second", value: second),
    ])
    for threads in [1, 2] {
      let (expected, actual, kernels) = try run(
        graph, input(shape, step: 1 / 128), threads: threads)
      #expect(actual.map { $0.contiguousBytes() } == expected.map { $0.contiguousBytes() })
      #expect(kernels.filter { $0.contains("int8 convolution") }.count == 3)
      #expect(kernels.contains { $0.contains("int8 pooling") })
      #expect(kernels.filter { $0.contains("int8 elementwise") }.count >= 3)
      #expect(!kernels.contains { $0.contains("reference") })
    }
  }

  @Test(
    "NaN, infinities and numbers between two integers are rounded as by the nodes",
    arguments: [ElementType.uint8, .int8], [2.0 / 255, 0.1, 1.0 / 3])
  func specialNumbers(_ type: ElementType, _ scale: Double) throws {
    var make = Builder(type: type)
    let step = Double(Float(scale))
    let shape = [1, 4, 10, 10]
    let x = try make.graph.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
    let rounded = try make.rounded(x, scale: step, zero: 3)
    let rectified = try make.add(ReLU(slope: 0, threshold: 0, maximum: nil), [rounded])
    let graph = try make.graph.finish(outputs: [
      Port(name: "y", value: rounded), Port(name: "z", value: rectified),
    ])
    let numbers =
      [.nan, -.infinity, .infinity, -1e30, 1e30]
      + (0..<395).map { Double(Float(Double($0 - 197) / 2 * scale)) }
    let (expected, actual, kernels) = try run(graph, Tensor(.float32, shape: shape, numbers))
    #expect(actual.map { $0.contiguousBytes() } == expected.map { $0.contiguousBytes() })
    #expect(kernels.count == 2)
    #expect(!kernels.contains { $0.contains("reference") })
  }

  @Test("Integers that are also read as such, and other layers, get what the nodes compute")
  func otherReaders() throws {
    var make = Builder(type: .uint8)
    let shape = [1, 16, 6, 7]
    let x = try make.graph.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
    let integers = try make.quantized(x, scale: 1 / 32, zero: 128)
    let value = try make.dequantized(integers, scale: 1 / 32, zero: 128)
    let other = try make.rounded(x, scale: 1 / 8, zero: 100)
    let depthwise = try make.convolution(value, (16, 16), groups: 16)
    let dense = try make.convolution(other, (16, 8))
    let outputs = [integers, value, depthwise, dense, try make.add(Sigmoid(), [value])]
    let graph = try make.graph.finish(
      outputs: outputs.enumerated().map { Port(name: "\($0)", value: $1) })
    let (expected, actual, kernels) = try run(graph, input(shape, step: 1 / 64))
    for (actual, expected) in zip(actual, expected).dropLast() {
      #expect(actual.contiguousBytes() == expected.contiguousBytes())
    }
    let errors = zip(actual[4].doubles, expected[4].doubles).map { abs($0 - $1) }
    #expect(errors.max() ?? 1 < 1e-6)
    #expect(kernels.filter { $0.contains("int8 convolution") }.count == 2)
  }

  @Test("What differs from rounding to 8 bits is computed node by node")
  func otherNodes() throws {
    var make = Builder(type: .uint8)
    let shape = [1, 3, 5, 5]
    let x = try make.graph.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
    let integers = try make.quantized(x, scale: 1 / 32, zero: 128)
    let otherZero = try make.dequantized(integers, scale: 1 / 32, zero: 127)
    let otherScale = try make.dequantized(integers, scale: 1 / 16, zero: 128)
    let sameScale = try make.dequantized(integers, scale: 1 / 32, zero: 128)
    let outputs = [
      try make.convolution(otherZero, (3, 8)), try make.convolution(otherScale, (3, 8)),
      try make.convolution(sameScale, (3, 8), zero: 1),
    ]
    let graph = try make.graph.finish(
      outputs: outputs.enumerated().map { Port(name: "\($0)", value: $1) })
    let (expected, actual, kernels) = try run(graph, input(shape, step: 1 / 64))
    for (actual, expected) in zip(actual, expected) {
      #expect(actual.contiguousBytes() == expected.contiguousBytes())
    }
    #expect(!kernels.contains { $0.contains("int8 convolution") })
  }
}
