import Bytes
import GraphIR
import LayerCatalog
import TestSupport
import Testing
import Vision
import Weighbridge
import _CatalogTesting

@testable import Compaction

/// Letting layers of a small classifier be computed with 8-bit integers.
@Suite struct ActivationTests {
  private static let folder = "Models/sketch-classifier"
  private static let names = Files.names(in: Paths.sample("\(folder)/sketches"))

  /// The model without its softmax.
  private static func scores() throws -> Graph {
    let graph = try Model(contentsOf: Paths.sample("\(folder)/sketch-classifier.h5")).content.graph
    let last = try #require(graph.nodes.last { $0.operation is Softmax })
    return graph.replacingOutputs([Port(name: "scores", value: last.inputs[0])])
  }

  private static func sketches(_ range: Range<Int>) throws -> [[Tensor]] {
    try range.map { number in
      let image = try Image(contentsOf: Paths.sample("\(folder)/sketches/\(names[number])"))
      let pixels = (0..<image.width * image.height).map { Double(image.pixels[$0 * 3]) / 255 }
      return [Tensor(.float32, shape: [1, image.height, image.width, 1], pixels)]
    }
  }

  private static func compact(
    _ graph: Graph, error: Double, threads: Int = 2
  ) throws -> Compaction {
    try Compactor(graph, workers: Workers(count: threads)).compactActivations(
      as: .int8, calibration: try sketches(0..<20), evaluation: try sketches(100..<110),
      error: error)
  }

  @Test func `the measured error agrees with the reference, and leaving layers out lowers it`()
    throws
  {
    let graph = try Self.scores()
    let whole = try Self.compact(graph, error: 1)
    let worst = try #require(whole.errors?.worst)
    #expect(whole.quantizations.count == 5 && worst < 0.1 && worst > 1e-4)
    let changed = graph.settingConstants(
      Dictionary(uniqueKeysWithValues: whole.weights.map { ($0.id, $0.tensor) })
    ).quantizing(whole.quantizations)
    var model = try Model(contentsOf: Paths.sample("\(Self.folder)/sketch-classifier.h5"))
    var options = RunOptions()
    options.engine = .reference
    var largest = 0.0
    for inputs in try Self.sketches(100..<110) {
      let both = try [changed, graph].map { graph in
        model.content.graph = graph
        let named = zip(graph.inputs, inputs).map { NamedTensor(name: $0.name, tensor: $1) }
        return try model.run(named, options: options).outputs[0].tensor.doubles
      }
      let difference = zip(both[0], both[1]).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      largest = max(largest, (difference / both[1].reduce(0) { $0 + $1 * $1 }).squareRoot())
    }
    #expect(abs(largest - worst) < 0.03 * worst)

    let bound = try #require(whole.errors?.bound)
    let fewer = try Self.compact(graph, error: bound * 0.9)
    #expect(try #require(fewer.errors?.bound) <= bound * 0.9)
    #expect((1..<5).contains(fewer.quantizations.count))
  }

  @Test func `the number of threads changes nothing`() throws {
    let graph = try Self.scores()
    let results = try [1, 2].map { try Self.compact(graph, error: 0.1, threads: $0) }
    #expect(results[0].quantizations == results[1].quantizations)
    #expect(results[0].errors == results[1].errors)
  }

  @Test func `an unreachable budget is refused with one that can be met`() throws {
    let error = #expect(throws: WeighbridgeError.self) {
      try Self.compact(Self.scores(), error: 1e-9)
    }
    #expect(error?.code == .limitExceeded)
    #expect(
      error?.reason.contains("with only one layer computed so") == true, "\(error?.reason ?? "")")
  }

  @Test func `a layer with a non-finite weight stays in float`() throws {
    let graph = try Self.scores()
    let sites = QuantizationSite.all(in: graph)
    let first = try #require(sites.first?.weights.first)
    var numbers = try #require(graph[first].constant).floats
    numbers[3] = .nan
    let shape = try #require(graph[first].constant).shape
    let broken = graph.settingConstants([first: Tensor(.float32, shape: shape, floats: numbers)])
    let left = QuantizationSite.all(in: broken)
    #expect(left.map(\.value) == sites.dropFirst().map(\.value))
  }

  @Test func `a model without such layers is refused`() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 4]))
    let output = try builder.addNode(
      Sigmoid(), named: "y", inputs: [input], source: SourceScope(layer: "y", className: "Y"))
    let graph = try builder.finish(outputs: [Port(name: "y", value: output[0])])
    let examples = (0..<4).map { seed in
      [Tensor(.float32, shape: [1, 4], [0, 1, 2, Double(seed)])]
    }
    let error = #expect(throws: WeighbridgeError.self) {
      try Compactor(graph, workers: Workers(count: 1)).compactActivations(
        as: .int8, calibration: examples, evaluation: examples, error: 0.1)
    }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("nothing can be computed with 8-bit integers") == true)
  }

  /// Two residual blocks: `[1, 6, 6, 4]` through convolutions of 1 x 1 with as many channels.
  private static func residual() throws -> Graph {
    var builder = GraphBuilder()
    func add(_ operation: any Operator, _ name: String, _ inputs: ValueID...) throws -> ValueID {
      try builder.addNode(
        operation, named: name, inputs: inputs, source: SourceScope(layer: name, className: "Test")
      )[0]
    }
    let window = Window(size: [1, 1], strides: [1, 1], dilation: [1, 1], padding: .valid)
    let relu = ReLU(slope: 0, threshold: 0, maximum: nil)
    var value = try builder.addInput("x", TensorType(.float32, [1, 6, 6, 4]))
    for block in 1...2 {
      var branch = value
      for layer in 1...2 {
        let seed = UInt64(2 * block + layer)
        let kernel = try builder.addWeight(
          "k\(block)\(layer)", .random(.float32, shape: [4, 4, 1, 1], in: -0.5...0.5, seed: seed))
        branch = try add(
          Convolution(window: window, groups: 1, hasBias: false, layout: .channelsLast),
          "conv\(block)\(layer)", branch, kernel)
        if layer == 1 { branch = try add(relu, "relu\(block)1", branch) }
      }
      // Either input of a sum can be the shortcut.
      let inputs = block == 1 ? (value, branch) : (branch, value)
      value = try add(relu, "relu\(block)2", add(Add(), "sum\(block)", inputs.0, inputs.1))
    }
    return try builder.finish(outputs: [Port(name: "y", value: value)])
  }

  @Test func `shortcuts are added as integers, unless the budget does not allow it`() throws {
    let graph = try Self.residual()
    let examples = (0..<24).map { number in
      [Tensor.random(.float32, shape: [1, 6, 6, 4], in: -1...1, seed: UInt64(number))]
    }
    func compact(_ error: Double) throws -> Compaction {
      try Compactor(graph, workers: Workers(count: 2)).compactActivations(
        as: .int8, calibration: Array(examples[..<16]), evaluation: Array(examples[16...]),
        error: error)
    }
    let whole = try compact(1)
    let bound = try #require(whole.errors?.bound)
    #expect(whole.quantizations.count == 6 && bound < 0.1)
    #expect(whole.quantizations["sum1"]?.input == 0 && whole.quantizations["sum2"]?.input == 1)
    // A shortcut is read as the layer beside it reads it.
    #expect(whole.quantizations["sum1"] == whole.quantizations["conv11"])
    #expect(whole.quantizations["sum2"]?.elements == whole.quantizations["conv21"]?.elements)

    let layers = try compact(0.999 * bound)
    #expect(layers.quantizations.keys.allSatisfy { $0.hasPrefix("conv") })
    #expect(layers.quantizations.count == 4)
    #expect(try #require(layers.errors?.bound) <= 0.999 * bound)
  }

  @Test func `histogram ranges do not depend on the order of the numbers`() throws {
    // 100,000 numbers from 0 to 1, and one of 100.
    let numbers = (0..<100_000).map { Float($0) / 100_000 }
    var (rising, falling) = (ActivationHistogram(), ActivationHistogram())
    for part in stride(from: 0, to: numbers.count, by: 1000) {
      rising.add(Array(numbers[part..<part + 1000]))
    }
    rising.add([100])
    falling.add([100])
    falling.add(numbers.reversed())
    #expect(rising.counts == falling.counts)
    let found = rising.quantizations
    #expect(found == falling.quantizations)
    let byMethod = Dictionary(uniqueKeysWithValues: found.map { ($0.method, $0.scale * 255) })
    #expect(byMethod[.maximum] == 100)
    let percentile = try #require(byMethod[.percentile999])
    #expect(abs(percentile - 1) < 0.05)
    #expect(found.allSatisfy { $0.zeroPoint == 0 })
  }

  @Test func `ranges with both signs represent 0 exactly`() throws {
    var histogram = ActivationHistogram()
    histogram.add((-300...500).map { Float($0) / 100 })
    let maximum = try #require(histogram.quantizations.first)
    #expect(maximum.zeroPoint == 96)
    #expect(maximum.quantized(0) == 96 && maximum.quantized(-9) == 0 && maximum.quantized(9) == 255)
    var tiny = ActivationHistogram()
    tiny.add([0, .leastNonzeroMagnitude])
    #expect(tiny.quantizations.isEmpty)
    histogram.add([.infinity])
    #expect(histogram.quantizations.isEmpty)
    #expect(ActivationHistogram().quantizations.isEmpty)
  }
}
