import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing

/// Graphs with sizes that depend on elements, which the CPU engine runs in parts.
@Suite struct DataDependentSizesTests {
  private static let scope = SourceScope(layer: "layer", className: "Layer")
  private let reference = ReferenceRuntime(workers: Workers(count: 2))

  /// The rows of `x` `[6, 4]` for which `chosen` `[6]` is not 0, through a matrix, and once more those of the
  /// results of which the first is positive.
  private func twice() throws -> Graph {
    var builder = GraphBuilder()
    func add(
      _ operation: any Operator, _ inputs: [ValueID]
    ) throws(WeighbridgeError) -> ValueID {
      try builder.addNode(
        operation, named: "node", inputs: inputs, source: Self.scope)[0]
    }
    func rows(of value: ValueID, where condition: ValueID) throws -> ValueID {
      let indices = try add(Squeeze(axes: [0]), [try add(NonZero(), [condition])])
      return try add(Gather(axis: 0), [value, indices])
    }
    let x = try builder.addInput("x", TensorType(.float32, [6, 4]))
    let chosen = try builder.addInput("chosen", TensorType(.float32, [6]))
    let kernel = try builder.addWeight(
      "kernel", Tensor(.float32, shape: [3, 4], (0..<12).map { Double($0 % 5) - 2 }))
    let wide = try add(ReLU(slope: 0, threshold: -1, maximum: nil), [x])
    let some = try add(Dense(hasBias: false), [try rows(of: wide, where: chosen), kernel])
    let first = try add(
      Slice([.init(axis: 1, start: 0, stop: 1, step: 1)]), [some])
    let zero = try builder.addWeight("zero", Tensor(.float32, shape: [1], [0]))
    let isPositive = try add(
      Comparison(.greater), [try add(Squeeze(axes: [1]), [first]), zero])
    let fewer = try rows(of: some, where: isPositive)
    let sums = try add(Reduce(.sum, axes: [0], keepDims: false), [fewer])
    return try builder.finish(outputs: [
      Port(name: "some", value: some), Port(name: "fewer", value: fewer),
      Port(name: "sums", value: sums), Port(name: "wide", value: wide),
    ])
  }

  private func inputs(_ chosen: [Double]) -> [Tensor] {
    [
      Tensor(.float32, shape: [6, 4], (0..<24).map { Double($0 * 7 % 11) - 4.5 }),
      Tensor(.float32, shape: [6], chosen),
    ]
  }

  @Test(
    "Both engines agree, whatever the sizes",
    arguments: [
      [1, 0, 1, 1, 0, 1], [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], [0, 0, .nan, 0, 0, 0],
      [1, 0, 1, 1, 0, 1],
    ])
  func agreement(_ chosen: [Double]) throws {
    let graph = try twice()
    let compiled = try CompiledGraph(graph, CPURuntime.Options(workers: Workers(count: 2)))
    let inputs = inputs(chosen)
    let expected = try reference.run(graph, inputs: inputs) { _ in }
    #expect(expected[0].shape == [chosen.count { $0 != 0 }, 3])
    for _ in 1...2 {
      var positions: [Int] = []
      let actual = try compiled.run(inputs) { result in
        positions += result.fused + [result.position]
        #expect(result.node.outputs == graph.nodes[result.position].outputs)
      }
      #expect(actual.map(\.type) == expected.map(\.type))
      #expect(actual.map(\.doubles) == expected.map(\.doubles))
      #expect(Set(positions).count == positions.count && positions.contains(graph.nodes.count - 1))
    }
  }

  @Test("Sizes that do not fit the following layer are an error with its place")
  func mismatch() throws {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", TensorType(.float32, [6]))
    let found = try builder.addNode(
      NonZero(), named: "found", inputs: [x], source: Self.scope)[0]
    let three = try builder.addWeight("three", Tensor(.int64, shape: [1, 3], [1, 2, 3]))
    let sum = try builder.addNode(
      Add(), named: "sum", inputs: [found, three],
      source: SourceScope(layer: "sum", className: "Add"))
    let graph = try builder.finish(outputs: [Port(name: "sum", value: sum[0])])
    let cpu = CPURuntime(.init(workers: Workers(count: 1)))
    let engines: [any Runtime] = [reference, cpu]
    for engine in engines {
      let fitting = Tensor(.float32, shape: [6], [0, 1, 0, 1, 1, 0])
      #expect(try engine.run(graph, inputs: [fitting]) { _ in }[0].doubles == [2, 5, 7])
      let other = Tensor(.float32, shape: [6], [1, 1, 0, 1, 1, 0])
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try engine.run(graph, inputs: [other]) { _ in }
      }
      #expect(error?.code == .mismatch)
      #expect(error.map { "\($0)".contains("sum") } == true)
    }
  }

  @Test(
    "A computed size beyond the memory limit, or below 0, is an error before anything is filled",
    arguments: [1 << 40, 1 << 62, -1])
  func limits(_ size: Int) throws {
    var builder = GraphBuilder()
    let sizes = try builder.addInput("sizes", TensorType(.int64, [2]))
    let filled = try builder.addNode(
      Fill(value: 1, elementType: .float32), named: "filled", inputs: [sizes],
      source: Self.scope)
    let graph = try builder.finish(outputs: [Port(name: "filled", value: filled[0])])
    let engines: [any Runtime] = [reference, CPURuntime(.init(workers: Workers(count: 1)))]
    for engine in engines {
      #expect(
        try engine.run(graph, inputs: [Tensor(.int64, shape: [2], [2, 3])]) { _ in }[0].doubles
          == [Double](repeating: 1, count: 6))
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try engine.run(graph, inputs: [Tensor(.int64, shape: [2], [Double(size), 4])]) { _ in }
      }
      let codes: [WeighbridgeError.Code] = [.limitExceeded, .malformed, .mismatch]
      #expect(error.map { codes.contains($0.code) } == true)
    }
  }

  @Test("Thousands of nodes whose sizes depend on each other's elements run")
  func chain() throws {
    var builder = GraphBuilder()
    var value = try builder.addInput("x", TensorType(.float32, [3, 4]))
    let few = Slice([.init(axis: 1, start: 0, stop: 3, step: 1)])
    for _ in 0..<2000 {
      for operation in [NonZero(), few] as [any Operator] {
        value = try builder.addNode(
          operation, named: "node", inputs: [value], source: Self.scope)[0]
      }
    }
    let graph = try builder.finish(outputs: [Port(name: "y", value: value)])
    let input = Tensor(.float32, shape: [3, 4], (0..<12).map { Double($0 % 5) })
    let options = CPURuntime.Options(workers: Workers(count: 1))
    let actual = try CompiledGraph(graph, options).run([input])
    let expected = try reference.run(graph, inputs: [input]) { _ in }
    #expect(actual.map(\.type) == expected.map(\.type))
    #expect(actual.map(\.doubles) == expected.map(\.doubles))
  }
}
