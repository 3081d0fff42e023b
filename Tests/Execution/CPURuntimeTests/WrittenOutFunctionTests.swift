import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import _CatalogTesting

/// Activation functions that several nodes compute, which the engine computes as one.
@Suite struct WrittenOutFunctionTests {
  /// The nodes of a function of x; `times` takes a constant where it names one.
  enum Form: String, CaseIterable, Sendable {
    case productThenHalf, halfThenProduct, halvedSum, scaledArgument
    case swish, hardSwish
  }

  /// Builds a graph node by node.
  struct Builder {
    var graph = GraphBuilder()
    var count = 0

    mutating func add(_ operation: any Operator, _ inputs: ValueID...) throws -> ValueID {
      count += 1
      return try graph.addNode(
        operation, named: "\(count)", inputs: inputs,
        source: SourceScope(layer: "layer", className: "Layer"))[0]
    }

    mutating func number(_ number: Double) throws -> ValueID {
      count += 1
      return try graph.addWeight("n\(count)", Tensor(.float32, shape: [1, 1], [number]))
    }

    mutating func function(_ x: ValueID, _ form: Form) throws -> ValueID {
      switch form {
      case .swish: return try add(Multiply(), x, try add(Sigmoid(), x))
      case .hardSwish:
        return try add(Multiply(), try add(HardSigmoid(slope: 1 / 6, offset: 0.5), x), x)
      default: break
      }
      let scaled =
        form == .scaledArgument
        ? try add(Multiply(), x, number(0.5.squareRoot()))
        : try add(BinaryMath(.divide), x, number(2.squareRoot()))
      let sum = try add(Add(), try add(UnaryMath(.errorFunction), scaled), number(1))
      switch form {
      case .halfThenProduct: return try add(Multiply(), try add(Multiply(), x, number(0.5)), sum)
      case .halvedSum: return try add(Multiply(), x, try add(Multiply(), sum, number(0.5)))
      default: return try add(Multiply(), try add(Multiply(), x, sum), number(0.5))
      }
    }
  }

  func outputs(
    _ graph: Graph, _ input: Tensor
  ) throws -> (expected: [Double], actual: [Double], count: Int) {
    var count = 0
    let actual = try CPURuntime(.init(workers: Workers(count: 1))).run(graph, inputs: [input]) {
      _ in count += 1
    }
    let reference = ReferenceRuntime(workers: Workers(count: 1))
    let expected = try reference.run(graph, inputs: [input]) { _ in }
    return (expected.flatMap(\.doubles), actual.flatMap(\.doubles), count)
  }

  static let numbers: [Double] =
    [.nan, .infinity, -.infinity, 0, -0.0, 1e-30, -1e-30, 1e38, -1e38]
    + stride(from: -16, through: 16, by: 0.03).map { $0 }

  @Test(
    "A function is computed as one, with the special numbers of its nodes", arguments: Form.allCases
  )
  func function(_ form: Form) throws {
    var make = Builder()
    let shape = [1, Self.numbers.count]
    let x = try make.graph.addInput("x", TensorType(.float32, shape.map { .fixed($0) }))
    let y = try make.function(x, form)
    let graph = try make.graph.finish(outputs: [Port(name: "y", value: y)])
    let result = try outputs(graph, Tensor(.float32, shape: shape, Self.numbers))
    #expect(result.count == 1)
    for (x, (actual, expected)) in zip(Self.numbers, zip(result.actual, result.expected)) {
      let isSame = actual == expected || actual.isNaN && expected.isNaN
      #expect(
        isSame || abs(actual - expected) <= 1e-6 * max(1, abs(x)),
        "\(x): \(actual), expected \(expected)")
    }
  }

  @Test("A function ends a layer's kernel", arguments: Form.allCases)
  func ending(_ form: Form) throws {
    var make = Builder()
    let x = try make.graph.addInput("x", TensorType(.float32, [.fixed(3), .fixed(8)]))
    let kernel = try make.graph.addWeight(
      "k", .random(.float32, shape: [20, 8], in: -1...1, seed: 1))
    let y = try make.function(make.add(Dense(hasBias: false), x, kernel), form)
    let graph = try make.graph.finish(outputs: [Port(name: "y", value: y)])
    let result = try outputs(graph, .random(.float32, shape: [3, 8], in: -1...1, seed: 2))
    #expect(result.count == 1 && result.actual.count == 60)
    let error = zip(result.actual, result.expected).map { abs($0 - $1) }.max()
    #expect(error ?? 1 < 1e-6)
  }

  @Test("Nodes whose values are read elsewhere, or with other numbers, are computed by themselves")
  func otherNodes() throws {
    var make = Builder()
    let x = try make.graph.addInput("x", TensorType(.float32, [.fixed(3), .fixed(8)]))
    let gate = try make.add(Sigmoid(), x)
    let scaled = try make.add(BinaryMath(.divide), x, make.number(1.5))
    let sum = try make.add(Add(), make.add(UnaryMath(.errorFunction), scaled), make.number(1))
    let half = try make.add(Multiply(), make.add(Multiply(), x, sum), make.number(0.5))
    let outputs = [gate, try make.add(Multiply(), x, gate), half]
    let graph = try make.graph.finish(
      outputs: outputs.enumerated().map { Port(name: "\($0)", value: $1) })
    let result = try self.outputs(graph, .random(.float32, shape: [3, 8], in: -3...3, seed: 2))
    #expect(result.count == 7 && result.actual.count == 72)
    let error = zip(result.actual, result.expected).map { abs($0 - $1) }.max()
    #expect(error ?? 1 < 1e-6)
  }
}
