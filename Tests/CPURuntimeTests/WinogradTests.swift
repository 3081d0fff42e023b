import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Verifier
import _CatalogTesting

/// Convolutions that the engine computes in tiles.
@Suite struct WinogradTests {
  /// What stands behind the convolution.
  enum Ending: String, CaseIterable, Sendable {
    case nothing, relu, leakyReLU, sum
  }

  private let source = SourceScope(layer: "layer", className: "Layer")

  /// A 3 x 3 convolution from 64 to 64 channels of an image of 33 x 30 elements.
  private func graph(_ ending: Ending) throws -> Graph {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 33, 30, 64]))
    let kernel = try builder.addWeight(
      "k", .random(.float32, shape: [64, 64, 3, 3], in: -0.1...0.1, seed: 1))
    let bias = try builder.addWeight(
      "b", .random(.float32, shape: [64], in: -1...1, seed: 2))
    let convolution = Convolution(
      window: Window(size: [3, 3], strides: [1, 1], dilation: [1, 1], padding: .same),
      groups: 1, hasBias: true, layout: .channelsLast)
    var value = try builder.addNode(
      convolution, named: "conv", inputs: [input, kernel, bias], source: source)
    let operation: (any Operator)? =
      switch ending {
      case .nothing: nil
      case .relu: ReLU(slope: 0, threshold: 0, maximum: nil)
      case .leakyReLU: LeakyReLU(slope: 0.1)
      case .sum: Add()
      }
    if let operation {
      let inputs = ending == .sum ? value + [input] : value
      value = try builder.addNode(operation, named: "end", inputs: inputs, source: source)
    }
    return try builder.finish(outputs: [Port(name: "y", value: value[0])])
  }

  private func run(_ graph: Graph, _ input: Tensor, isFast: Bool) throws -> (Tensor, String) {
    var names: [String] = []
    let options = CPURuntime.Options(workers: Workers(count: 2), isFast: isFast)
    let outputs = try CPURuntime(options).run(graph, inputs: [input]) { result in
      if case .oneDNN(let name) = result.kernel { names.append(name) }
    }
    return (outputs[0], names.joined(separator: " "))
  }

  private func reference(_ graph: Graph, _ input: Tensor) throws -> Tensor {
    try ReferenceRuntime(workers: Workers(count: 2)).run(graph, inputs: [input]) { _ in }[0]
  }

  @Test("A convolution in tiles is what the reference computes", arguments: Ending.allCases)
  func agreement(_ ending: Ending) throws {
    let graph = try graph(ending)
    let input = Tensor.random(.float32, shape: [1, 33, 30, 64], in: -1...1, seed: 3)
    let want = try reference(graph, input)
    let (got, names) = try run(graph, input, isFast: false)
    #expect(
      TensorDifference(got: got, want: want).isWithin(Tolerance(absolute: 1e-5, relative: 1e-5)))
    // Where the processor has no vectors of 16 numbers, oneDNN has no tiles.
    if names.contains("avx512") { #expect(names.contains("wino_2x3"), "\(names)") }
  }

  @Test("Large tiles, which have to be asked for, stay near")
  func largeTiles() throws {
    let graph = try graph(.relu)
    let input = Tensor.random(.float32, shape: [1, 33, 30, 64], in: -1...1, seed: 3)
    let want = try reference(graph, input)
    let (got, _) = try run(graph, input, isFast: true)
    #expect(
      TensorDifference(got: got, want: want).isWithin(Tolerance(absolute: 1e-3, relative: 1e-3)))
  }

  @Test("A NaN reaches the outputs whose window holds it, and no others")
  func nan() throws {
    let graph = try graph(.nothing)
    var numbers = [Double](repeating: 0.5, count: 33 * 30 * 64)
    numbers[(10 * 30 + 12) * 64 + 5] = .nan
    let (got, _) = try run(
      graph, Tensor(.float32, shape: [1, 33, 30, 64], numbers), isFast: false)
    let places = got.doubles.enumerated().filter(\.element.isNaN).map { $0.offset / 64 }
    let around = (9...11).flatMap { row in (11...13).map { row * 30 + $0 } }
    #expect(Set(places) == Set(around))
    #expect(places.count == 9 * 64)
  }
}
