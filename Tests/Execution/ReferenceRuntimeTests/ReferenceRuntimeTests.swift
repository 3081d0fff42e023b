import Bytes
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing

/// What the reference runtime computes and refuses, and what it reports to an observer.
@Suite struct ReferenceRuntimeTests {
  private let runtime = ReferenceRuntime(workers: Workers(count: 2))
  private let row = TensorType(.float32, [.symbolic("batch"), 3])

  private func source(_ name: String) -> SourceScope {
    SourceScope(layer: name, className: "Layer")
  }

  /// relu(x + w) and x + w, with w = -2, 0, 2.
  private func graph() throws -> Graph {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", row)
    let w = try builder.addWeight("w", Tensor(.float32, shape: [1, 3], [-2, 0, 2]))
    let sum = try builder.addNode(Add(), named: "sum", inputs: [x, w], source: source("one"))
    let relu = try builder.addNode(
      ReLU(slope: 0, threshold: 0, maximum: nil), named: "relu", inputs: sum, source: source("two"))
    return try builder.finish(
      outputs: [Port(name: "y", value: relu[0]), Port(name: "z", value: sum[0])])
  }

  private func run(
    _ graph: Graph, _ inputs: [Tensor], _ runtime: ReferenceRuntime? = nil
  ) throws -> [Tensor] {
    try (runtime ?? self.runtime).run(graph, inputs: inputs) { _ in }
  }

  private let input = Tensor(.float32, shape: [2, 3], [1, -1, 0.5, 3, 4, -5])

  @Test("Outputs are in the order of the ports, with the values of the formula")
  func outputs() throws {
    let outputs = try run(graph(), [input])
    #expect(outputs.map(\.doubles) == [[0, 0, 2.5, 1, 4, 0], [-1, -1, 2.5, 1, 4, -3]])
    #expect(outputs.map(\.shape) == [[2, 3], [2, 3]])
    #expect(runtime.name == "reference")
  }

  @Test(
    "Inputs may have any memory order; outputs are in row-major order")
  func views() throws {
    let permuted = Tensor(.float32, shape: [3, 2], [1, 3, -1, 4, 0.5, -5]).permuted([1, 0])
    #expect(try run(graph(), [permuted]).map(\.doubles) == run(graph(), [input]).map(\.doubles))
    var builder = GraphBuilder()
    let x = try builder.addInput("x", row)
    let y = try builder.addNode(
      Transpose(axes: [1, 0]), named: "t", inputs: [x], source: source("t"))
    let transposed = try run(
      try builder.finish(outputs: [Port(name: "y", value: y[0])]), [input])[0]
    #expect(transposed.isContiguous && transposed.doubles == [1, 3, -1, 4, 0.5, -5])
  }

  @Test("An input, a weight and one value under two names may be outputs")
  func ports() throws {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", row)
    let w = try builder.addWeight("w", Tensor(.float32, shape: [1, 3], [1, 2, 3]))
    let sum = try builder.addNode(Add(), named: "s", inputs: [x, w], source: source("s"))[0]
    let graph = try builder.finish(
      outputs: [x, w, sum, sum].enumerated().map { Port(name: "\($0)", value: $1) })
    let outputs = try run(graph, [input]).map(\.doubles)
    let expected: [Double] = [2, 1, 3.5, 4, 6, -2]
    #expect(outputs == [input.doubles, [1, 2, 3], expected, expected])
  }

  @Test("An empty batch gives empty outputs")
  func emptyBatch() throws {
    let outputs = try run(graph(), [Tensor(.float32, shape: [0, 3], [])])
    #expect(outputs.map(\.shape) == [[0, 3], [0, 3]])
  }

  @Test("Numbers are rounded to the tensors' types between operators")
  func rounding() throws {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", TensorType(.float16, [1]))
    let one = try builder.addNode(Add(), named: "a", inputs: [x, x], source: source("a"))
    let sum = try builder.addNode(
      Add(), named: "b", inputs: [one[0], x], source: source("b"))
    let graph = try builder.finish(outputs: [Port(name: "y", value: sum[0])])
    // 3 * 683 = 2049 is between two float16 numbers (in NumPy, np.float16(2049) is 2048).
    let output = try run(graph, [Tensor(.float16, shape: [1], [683])])[0]
    #expect(output.elementType == .float16 && output.doubles == [2048])
  }

  @Test("The results do not depend on the number of threads", arguments: [1, 2, 7])
  func threads(_ count: Int) throws {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", TensorType(.float32, [5, 7]))
    var generator = SplitMix64(seed: 1)
    let numbers = { (count: Int) in
      (0..<count).map { _ in Double(generator.next() >> 40) / 0x1p24 - 0.5 }
    }
    let w = try builder.addWeight("w", Tensor(.float32, shape: [11, 7], numbers(77)))
    let b = try builder.addWeight("b", Tensor(.float32, shape: [11], numbers(11)))
    let y = try builder.addNode(
      Dense(hasBias: true), named: "d", inputs: [x, w, b], source: source("d"))
    let graph = try builder.finish(outputs: [Port(name: "y", value: y[0])])
    let inputs = [Tensor(.float32, shape: [5, 7], numbers(35))]
    let several = ReferenceRuntime(workers: Workers(count: count))
    let single = ReferenceRuntime(workers: Workers(count: 1))
    #expect(
      try run(graph, inputs, several).map { $0.contiguousBytes() }
        == run(graph, inputs, single).map { $0.contiguousBytes() })
  }

  @Test("An observer sees each node once, in order, with its outputs")
  func observer() throws {
    var observed: [(Int, String, KernelKind, [[Double]])] = []
    _ = try runtime.run(graph(), inputs: [input]) { result in
      observed.append(
        (result.position, result.node.name, result.kernel, result.outputs.map(\.doubles)))
      #expect(result.fused.isEmpty)
    }
    #expect(observed.map(\.0) == [0, 1] && observed.map(\.1) == ["sum", "relu"])
    #expect(observed.map(\.2) == [.reference, .reference])
    #expect(observed.map(\.3) == [[[-1, -1, 2.5, 1, 4, -3]], [[0, 0, 2.5, 1, 4, 0]]])
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try runtime.run(graph(), inputs: [input]) { _ throws(WeighbridgeError) in
        throw WeighbridgeError(.mismatch, "enough")
      }
    }
    #expect(error?.reason == "enough")
  }

  @Test("Arrays that do not fit the inputs are a mismatch")
  func inputs() throws {
    let graph = try graph()
    for inputs in [
      [], [input, input], [Tensor(.float64, shape: [2, 3], input.doubles)],
      [Tensor(.float32, shape: [3, 2], input.doubles)],
      [Tensor(.float32, shape: [6], input.doubles)],
    ] {
      let error = #expect(throws: WeighbridgeError.self) { _ = try run(graph, inputs) }
      #expect(error?.code == .mismatch)
    }
  }

  @Test("A shape that a layer cannot take is a mismatch at that layer")
  func shapes() throws {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", TensorType(.float32, [.unknown]))
    let y = try builder.addInput("y", TensorType(.float32, [.unknown]))
    let sum = try builder.addNode(Add(), named: "s", inputs: [x, y], source: source("sum"))
    let graph = try builder.finish(outputs: [Port(name: "z", value: sum[0])])
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try run(
        graph, [Tensor(.float32, shape: [2], [1, 2]), Tensor(.float32, shape: [3], [1, 2, 3])])
    }
    #expect(error?.code == .mismatch && error?.place.layer == "#0 sum (Layer)")
  }

  @Test("A layer that is not understood, and an operator without a kernel, are not supported")
  func unsupported() throws {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", row)
    let opaque = Opaque(
      className: "Warp", settings: "{}", inputCount: 1, weightNames: [],
      outputs: [.init(elementType: .float32, dimensions: [nil, 3])])
    let y = try builder.addNode(opaque, named: "w", inputs: [x], source: source("warp"))
    let opaqueGraph = try builder.finish(outputs: [Port(name: "y", value: y[0])])
    var other = GraphBuilder()
    let a = try other.addInput("x", row)
    let b = try other.addNode(Kernelless(), named: "k", inputs: [a], source: source("bare"))
    let kernellessGraph = try other.finish(outputs: [Port(name: "y", value: b[0])])
    for (graph, layer) in [
      (opaqueGraph, "#0 warp (Layer)"), (kernellessGraph, "#0 bare (Layer)"),
    ] {
      let error = #expect(throws: WeighbridgeError.self) { _ = try run(graph, [input]) }
      #expect(error?.code == .unsupported && error?.place.layer == layer)
    }
  }

  @Test("A run whose activations take more than the limit is refused before it begins")
  func memory() throws {
    // Two tensors of 2 x 3 elements of 4 bytes at each node: x is released before the activation.
    let enough = ReferenceRuntime(workers: Workers(count: 1), memoryLimit: 48)
    #expect(try run(graph(), [input], enough).count == 2)
    let less = ReferenceRuntime(workers: Workers(count: 1), memoryLimit: 47)
    var observedCount = 0
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try less.run(graph(), inputs: [input]) { _ in observedCount += 1 }
    }
    #expect(error?.code == .limitExceeded && observedCount == 0)
    #expect(error?.reason.contains("48 bytes at once, and the limit is 47") == true)
  }

  @Test("A cancelled run stops before the next node, and after the last")
  func cancellation() throws {
    for stop in [0, 1, 2] {
      let cancellation = Cancellation()
      if stop == 0 { cancellation.cancel() }
      let runtime = ReferenceRuntime(workers: Workers(count: 1), cancellation: cancellation)
      var observedCount = 0
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try runtime.run(graph(), inputs: [input]) { _ in
          observedCount += 1
          if observedCount == stop { cancellation.cancel() }
        }
      }
      #expect(error?.code == .cancelled && observedCount == stop)
    }
  }
}

/// An operator that is not in the catalog and has no kernel.
private struct Kernelless: Operator {
  static let kind = "kernelless"
  static let version = 1
  var inputs: [InputSlot] { [.data("input")] }
  var attributes: Attributes { [:] }
  init() {}
  init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {}
  func outputTypes(of inputs: [TensorType]) -> [TensorType] { inputs }
}
