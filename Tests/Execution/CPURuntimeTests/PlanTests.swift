import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Synchronization
import TestSupport
import Testing
import Verifier
import Weighbridge
import _CatalogTesting

/// What the engine does to graphs before it runs them.
@Suite struct PlanTests {
  private let source = SourceScope(layer: "layer", className: "Layer")

  private func convolution(padding: WindowPadding = .same, hasBias: Bool = true) -> Convolution {
    Convolution(
      window: Window(size: [3, 3], strides: [1, 1], dilation: [1, 1], padding: padding),
      groups: 1, hasBias: hasBias, layout: .channelsLast)
  }

  private func random(_ shape: [Int], seed: UInt64) -> Tensor {
    .random(.float32, shape: shape, in: -1...1, seed: seed)
  }

  private func expectAgreement(_ graph: Graph, _ inputs: [Tensor], groupSizes: [Int]) throws {
    let expected = try ReferenceRuntime(workers: Workers(count: 2))
      .run(graph, inputs: inputs) { _ in }
    var groups: [Int] = []
    let runtime = CPURuntime(CPURuntime.Options(workers: Workers(count: 2)))
    let actual = try runtime.run(graph, inputs: inputs) { groups.append($0.fused.count + 1) }
    #expect(actual.map(\.type) == expected.map(\.type))
    for (actual, expected) in zip(actual, expected) {
      let difference = TensorDifference(actual: actual, expected: expected)
      #expect(difference.isWithin(Tolerance(absolute: 1e-5, relative: 1e-5)), "\(difference)")
    }
    #expect(groups == groupSizes)
  }

  @Test("Normalization, activation and padding become part of a convolution")
  func fusion() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 9, 8, 16]))
    let padded = try builder.addNode(
      ZeroPadding(borders: Borders(before: [1, 1], after: [1, 1]), layout: .channelsLast),
      named: "pad", inputs: [input], source: source)
    let kernel = try builder.addWeight("k", random([32, 16, 3, 3], seed: 1))
    let bias = try builder.addWeight("b", random([32], seed: 2))
    let sums = try builder.addNode(
      convolution(padding: .valid), named: "conv", inputs: padded + [kernel, bias], source: source)
    let weights = try ["gamma", "beta", "mean", "variance"].enumerated().map { number, name in
      try builder.addWeight(
        name, .random(.float32, shape: [32], in: 0.5...1.5, seed: UInt64(number)))
    }
    let normal = try builder.addNode(
      BatchNormalization(axis: 3, epsilon: 1e-3, hasScale: true, hasCenter: true), named: "norm",
      inputs: sums + weights, source: source)
    let output = try builder.addNode(
      LeakyReLU(slope: 0.1), named: "leaky", inputs: normal, source: source)
    let graph = try builder.finish(outputs: [Port(name: "y", value: output[0])])
    try expectAgreement(graph, [random([1, 9, 8, 16], seed: 3)], groupSizes: [4])
  }

  /// As in the first layers of residual networks. The zeros have no effect only if no element is
  /// negative and every window covers other elements too.
  @Test(
    "Padding becomes part of a maximum of elements that are not negative",
    arguments: [(0, 1, true), (0, 2, false), (0.5, 1, true), (-0.5, 1, false)])
  func paddedMaximum(threshold: Double, border: Int, isFused: Bool) throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [2, 9, 8, 20]))
    let borders = Borders(before: [border, border], after: [border, border])
    let window = Window(size: [2, 2], strides: [2, 2], dilation: [1, 1], padding: .valid)
    var value = input
    for operation in [
      ReLU(slope: 0, threshold: threshold, maximum: nil),
      ZeroPadding(borders: borders, layout: .channelsLast),
      MaxPooling(window: window, layout: .channelsLast),
    ] as [any Operator] {
      value = try builder.addNode(
        operation, named: type(of: operation).kind, inputs: [value], source: source)[0]
    }
    let graph = try builder.finish(outputs: [Port(name: "y", value: value)])
    try expectAgreement(
      graph, [random([2, 9, 8, 20], seed: 1)], groupSizes: isFused ? [1, 2] : [1, 1, 1])
  }

  /// A dense layer copies its kernel, which is freed then, and an embedding reads its table in
  /// place.
  @Test(
    "A constant that cannot be decoded again is an error, not a wrong number",
    arguments: [false, true])
  func decoding(isDamaged: Bool) throws {
    let weight = random([8, 4], seed: 1)
    let bytes = weight.contiguousBytes()
    let calls = Calls()
    let store = ByteStore(count: bytes.count, of: "a file") { () throws(WeighbridgeError) in
      guard calls.next() == 1 || !isDamaged else { throw .damaged("the file has changed") }
      return bytes
    }
    var builder = GraphBuilder()
    let rows = try builder.addInput("x", TensorType(.float32, [2, 4]))
    let indices = try builder.addInput("i", TensorType(.int32, [3]))
    let encoded = try builder.addWeight(
      "w", Tensor(.float32, shape: [8, 4], store: store, range: 0..<bytes.count))
    let products = try builder.addNode(
      Dense(hasBias: false), named: "dense", inputs: [rows, encoded], source: source)
    let entries = try builder.addNode(
      Embedding(), named: "embedding", inputs: [indices, encoded], source: source)
    let graph = try builder.finish(
      outputs: [Port(name: "y", value: products[0]), Port(name: "z", value: entries[0])])
    let compiled = try CompiledGraph(graph, CPURuntime.Options(workers: Workers(count: 2)))
    let inputs = [random([2, 4], seed: 2), Tensor(.int32, shape: [3], integers: [7, 0, 3])]
    guard !isDamaged else {
      for _ in 0..<2 {
        let caught = #expect(throws: WeighbridgeError.self) { try compiled.run(inputs) }
        #expect(caught?.code == .damaged)
      }
      return
    }
    for _ in 0..<2 {
      #expect(
        try compiled.run(inputs)[1].floats
          == [7, 0, 3].flatMap { row in
            weight.floats[4 * row..<4 * row + 4]
          })
    }
    #expect(calls.count == 2)
  }

  private final class Calls: Sendable {
    private let state = Mutex(0)
    var count: Int { state.withLock { $0 } }

    func next() -> Int {
      state.withLock { count in
        count += 1
        return count
      }
    }
  }

  @Test("A sum with the convolution's own input keeps that input")
  func ownInput() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 7, 7, 16]))
    let kernel = try builder.addWeight("k", random([16, 16, 3, 3], seed: 1))
    let first = try builder.addNode(
      convolution(hasBias: false), named: "a", inputs: [input, kernel], source: source)
    let second = try builder.addNode(
      convolution(hasBias: false), named: "b", inputs: first + [kernel], source: source)
    let sum = try builder.addNode(
      Add(), named: "sum", inputs: [first[0], second[0]], source: source)
    let graph = try builder.finish(outputs: [Port(name: "y", value: sum[0])])
    try expectAgreement(graph, [random([1, 7, 7, 16], seed: 3)], groupSizes: [1, 2])
  }

  @Test("Values computed from weights alone become constants, and nothing else changes")
  func constants() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [3, 4]))
    let first = try builder.addWeight("a", random([1, 4], seed: 1))
    let second = try builder.addWeight("b", random([1, 4], seed: 2))
    let sum = try builder.addNode(
      Add(), named: "sum", inputs: [first, second], source: source)
    let root = try builder.addNode(Tanh(), named: "tanh", inputs: sum, source: source)
    let product = try builder.addNode(
      Multiply(), named: "product", inputs: [input] + root, source: source)
    let graph = try builder.finish(
      outputs: [Port(name: "y", value: product[0]), Port(name: "z", value: sum[0])])
    try expectAgreement(graph, [random([3, 4], seed: 3)], groupSizes: [1, 1, 1])
    var kernels: [KernelKind] = []
    let runtime = CPURuntime(CPURuntime.Options(workers: Workers(count: 2)))
    _ = try runtime.run(graph, inputs: [random([3, 4], seed: 3)]) { kernels.append($0.kernel) }
    #expect(kernels.prefix(2) == [.own("constant"), .own("constant")])
  }

  @Test(
    "The arena exceeds the lower bound of memory by at most a tenth",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"),
    arguments: [
      "seeds/sketchclassifier/cnnsketchclassifier.h5", "real/emotion_model/emotion_model.hdf5",
      "real/fer2013_big_XCEPTION/fer2013_big_XCEPTION.hdf5",
      "real/tiny_XCEPTION_KDEF/tiny_XCEPTION_KDEF.hdf5",
    ])
  func arena(_ path: String) throws {
    let graph = try Model(contentsOf: Fixtures.file("keras/\(path)")).content.graph
    let compiled = try CompiledGraph(graph, CPURuntime.Options(workers: Workers(count: 2)))
    let types = graph.inputs.map { port in
      TensorType(.float32, graph[port.value].type.shape.map { $0.value ?? 1 })
    }
    let memory = try compiled.activationMemory(for: types)
    #expect(Double(memory.arena) <= 1.1 * Double(memory.lowerBound), "\(memory)")
  }

  @Test("A convolution with more weights than the cache holds is the sum of its parts")
  func split() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 5, 5, 512]))
    let kernel = try builder.addWeight(
      "k", .random(.float32, shape: [512, 512, 3, 3], in: -0.1...0.1, seed: 1))
    let bias = try builder.addWeight("b", random([512], seed: 2))
    let sums = try builder.addNode(
      convolution(), named: "conv", inputs: [input, kernel, bias], source: source)
    let added = try builder.addNode(
      Add(), named: "sum", inputs: sums + [input], source: source)
    let output = try builder.addNode(
      ReLU(slope: 0, threshold: 0, maximum: nil), named: "relu", inputs: added, source: source)
    let graph = try builder.finish(outputs: [Port(name: "y", value: output[0])])
    try expectAgreement(graph, [random([1, 5, 5, 512], seed: 3)], groupSizes: [3])
  }

  @Test("Weights are packed into blocks of any length")
  func blocksOfWeights() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 14, 14, 1024]))
    let other = try builder.addInput("z", TensorType(.float32, [1, 7, 7, 512]))
    let first = try builder.addWeight(
      "k", .random(.float32, shape: [2048, 1024, 1, 1], in: -0.1...0.1, seed: 1))
    let second = try builder.addWeight(
      "l", .random(.float32, shape: [2048, 512, 1, 1], in: -0.1...0.1, seed: 2))
    func convolution(stride: Int) -> Convolution {
      Convolution(
        window: Window(
          size: [1, 1], strides: [stride, stride], dilation: [1, 1], padding: .valid),
        groups: 1, hasBias: false, layout: .channelsLast)
    }
    let one = try builder.addNode(
      convolution(stride: 2), named: "a", inputs: [input, first], source: source)
    let two = try builder.addNode(
      convolution(stride: 1), named: "b", inputs: [other, second], source: source)
    let sum = try builder.addNode(Add(), named: "sum", inputs: one + two, source: source)
    let output = try builder.addNode(
      ReLU(slope: 0, threshold: 0, maximum: nil), named: "relu", inputs: sum, source: source)
    let graph = try builder.finish(outputs: [Port(name: "y", value: output[0])])
    let inputs = [random([1, 14, 14, 1024], seed: 3), random([1, 7, 7, 512], seed: 4)]
    try expectAgreement(graph, inputs, groupSizes: [1, 3])
    var kernels: [KernelKind] = []
    _ = try CPURuntime(CPURuntime.Options(workers: Workers(count: 2))).run(graph, inputs: inputs) {
      kernels.append($0.kernel)
    }
    #expect(!kernels.contains(.reference), "\(kernels)")
  }
}
