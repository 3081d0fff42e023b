import Bytes
import GraphIR
import LayerCatalog
import TestSupport
import Testing
import Vision
import Weighbridge

@testable import Compaction

/// Compacting a small classifier that was trained.
@Suite struct CompactorTests {
  private static let folder = "Models/sketch-classifier"

  private static func model() throws -> Model {
    try Model(contentsOf: Paths.sample("\(folder)/sketch-classifier.h5"))
  }

  /// The model without its softmax: where that is saturated, small changes make errors jump.
  private static func scores() throws -> Graph {
    let graph = try model().content.graph
    let last = try #require(graph.nodes.last { $0.operation is Softmax })
    return graph.replacingOutputs([Port(name: "scores", value: last.inputs[0])])
  }

  /// Sketches that training did not see.
  private static func sketches(_ range: Range<Int>) throws -> [[Tensor]] {
    try range.map { number in
      let path = Paths.sample("\(folder)/sketches/\(names[number])")
      let image = try Image(contentsOf: path)
      let pixels = (0..<image.width * image.height).map { Double(image.pixels[$0 * 3]) / 255 }
      return [Tensor(.float32, shape: [1, image.height, image.width, 1], pixels)]
    }
  }

  private static let names = Files.names(in: Paths.sample("\(folder)/sketches"))

  private static func compact(
    _ budget: CompactionBudget, threads: Int = 2
  ) throws -> (graph: Graph, Compaction) {
    let graph = try scores()
    let compactor = Compactor(graph, workers: Workers(count: threads))
    return (
      graph,
      try compactor.compact(
        calibration: try sketches(0..<24), evaluation: try sketches(100..<112), budget: budget)
    )
  }

  @Test(arguments: [0.03, 1e-3])
  func `the measured error is just within the budget`(_ error: Double) throws {
    let (graph, result) = try Self.compact(.error(error))
    let errors = try #require(result.errors)
    #expect(errors.worst <= errors.bound && errors.bound <= error)
    #expect(errors.bound > 0.8 * error)
    #expect(result.estimatedSize < result.originalSize * (error > 0.01 ? 3 : 5) / 10)
    // What is reported is what the numbers do in the reference runtime of another implementation.
    let changed = graph.settingConstants(
      Dictionary(uniqueKeysWithValues: result.weights.map { ($0.id, $0.tensor) }))
    var largest = 0.0
    for inputs in try Self.sketches(100..<112) {
      let actual = try Self.run(changed, inputs)
      let expected = try Self.run(graph, inputs)
      let difference = zip(actual, expected).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      largest = max(largest, (difference / expected.reduce(0) { $0 + $1 * $1 }).squareRoot())
    }
    #expect(abs(largest - errors.worst) < 0.01 * error)
  }

  private static func run(_ graph: Graph, _ inputs: [Tensor]) throws -> [Double] {
    var model = try model()
    model.content.graph = graph
    var options = RunOptions()
    options.engine = .reference
    let named = zip(graph.inputs, inputs).map { NamedTensor(name: $0.name, tensor: $1) }
    return try model.run(named, options: options).outputs[0].tensor.doubles
  }

  @Test func `the weights fit a size budget`() throws {
    let (_, result) = try Self.compact(.size(60_000))
    #expect(result.estimatedSize <= 60_000)
    #expect(result.estimatedSize > 54_000)
  }

  @Test func `the requested share of answers is kept`() throws {
    let (_, result) = try Self.compact(.answers(1, .largest))
    #expect(result.answers == AnswerCount(kept: 12, count: 12))
    #expect(result.estimatedSize * 5 < result.originalSize)
  }

  @Test func `integers times their steps equal the weights`() throws {
    let (graph, result) = try Self.compact(.error(0.01))
    var count = 0
    for weight in result.weights {
      guard case .integers(let matrix) = weight.form else { continue }
      count += 1
      #expect(graph[weight.id].constant?.shape == weight.tensor.shape)
      #expect(matrix.rows == weight.tensor.shape[0])
      #expect(matrix.numbers == weight.tensor.doubles.map { Float($0) })
    }
    #expect(count > 0)
  }

  @Test func `compaction is deterministic`() throws {
    let first = try Self.compact(.error(0.02)).1
    let second = try Self.compact(.error(0.02)).1
    #expect(first.errors == second.errors)
    #expect(first.estimatedSize == second.estimatedSize)
    #expect(first.weights.map(\.id) == second.weights.map(\.id) && !first.weights.isEmpty)
    let bytes = [first, second].map { result in
      result.weights.map { $0.tensor.contiguousBytes() }
    }
    #expect(bytes[0] == bytes[1])
  }

  @Test(arguments: [0, -1, .nan, .infinity] as [Double])
  func `a largest error that is not a positive number is refused`(_ error: Double) throws {
    let caught = #expect(throws: WeighbridgeError.self) { try Self.compact(.error(error)) }
    #expect(caught?.code == .mismatch)
  }

  @Test func `shares and sizes out of range are refused`() throws {
    for share in [0, -0.5, 1.5, .nan] {
      let error = #expect(throws: WeighbridgeError.self) {
        try Self.compact(.answers(share, .largest))
      }
      #expect(error?.code == .mismatch)
      #expect(error?.reason.contains("the share of the answers") == true, "\(error as Any)")
    }
    for size in [0, -1] {
      let error = #expect(throws: WeighbridgeError.self) { try Self.compact(.size(size)) }
      #expect(error?.code == .mismatch)
      #expect(error?.reason.contains("\(size) bytes are no budget") == true, "\(error as Any)")
    }
  }

  @Test func `an unreachable budget is refused with one that can be met`() throws {
    let small = #expect(throws: WeighbridgeError.self) { try Self.compact(.size(500)) }
    #expect(small?.code == .limitExceeded)
    #expect(small?.reason.hasPrefix("500 bytes cannot be met; the weights take at least ") == true)
    let words = (small?.reason ?? "").split(separator: " ")
    let least = try #require(words.last.flatMap { Int($0) })
    #expect(try Self.compact(.size(least)).1.estimatedSize <= least)
    let exact = #expect(throws: WeighbridgeError.self) { try Self.compact(.error(1e-12)) }
    #expect(exact?.code == .limitExceeded)
  }

  @Test func `missing, misshapen and constant examples are refused`() throws {
    let compactor = Compactor(try Self.model().content.graph, workers: Workers(count: 1))
    let good = try Self.sketches(0..<4)
    func expectRefused(_ calibration: [[Tensor]], _ evaluation: [[Tensor]]) {
      let error = #expect(throws: WeighbridgeError.self) {
        try compactor.compact(
          calibration: calibration, evaluation: evaluation, budget: .error(0.1))
      }
      #expect(error?.code == .mismatch)
    }
    expectRefused([], good)
    expectRefused(good, [])
    expectRefused(Array(good[..<3]), good)
    let constant = Tensor(.float32, shape: [1, 64, 64, 1], [Double](repeating: 1, count: 4096))
    expectRefused([[Tensor]](repeating: [constant], count: 4), good)
    expectRefused(good, [[constant]])
    let small = Tensor(.float32, shape: [1, 3, 3, 1], (0..<9).map(Double.init))
    expectRefused([[Tensor]](repeating: [small], count: 4), good)
  }

  @Test func `calibration and evaluation examples do not overlap`() {
    let (calibration, evaluation) = Compactor.split(Array(0..<10))
    #expect(calibration == [0, 1, 2, 4, 5, 6, 8, 9])
    #expect(evaluation == [3, 7])
  }

  @Test func `a weight with a non-finite number stays unchanged`() throws {
    let graph = try Self.model().content.graph
    let weights = CompactableWeight.all(in: graph)
    let first = try #require(weights.first)
    var numbers = first.tensor.doubles
    numbers[3] = .nan
    let broken = graph.settingConstants(
      [first.id: Tensor(.float32, shape: first.tensor.shape, numbers)])
    #expect(CompactableWeight.all(in: broken).count == weights.count - 1)
  }

  @Test func `cancellation ends the work`() throws {
    var compactor = Compactor(try Self.model().content.graph, workers: Workers(count: 1))
    let cancellation = Cancellation()
    compactor.cancellation = cancellation
    compactor.progress = { progress in
      if progress.step == "searching" { cancellation.cancel() }
    }
    let sketches = try Self.sketches(0..<4)
    let error = #expect(throws: WeighbridgeError.self) {
      try compactor.compact(
        calibration: sketches, evaluation: sketches, budget: .error(0.001))
    }
    #expect(error?.code == .cancelled)
  }
}
